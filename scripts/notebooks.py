"""A lab's page without what its converter adds: JupyterLab's styles, clipboard parts, and a MathJax from another origin."""

from __future__ import annotations

import re

# The loader stands on every page of the site, labs or not.
MATHJAX = re.compile(r"<script data-mkdocs-jupyter-mathjax=.*?</script>\s*", re.S)
_DROPPED = re.compile(
    r"<style\b.*?</style>|<script\b.*?</script>"
    r'|<div class="zeroclipboard-container">\s*(?:<clipboard-copy.*?</clipboard-copy>)?\s*</div>'
    r'|<div class="clipboard-copy-txt".*?</div>'
    r'|<div class="jp-Collapser[^"]*">\s*</div>| tabindex="0"', re.S)
_SOURCE = re.compile(r'<div class="highlight-ipynb hl-(\w+)"><pre>(?:<span></span>)?(.*?)\s*</pre></div>', re.S)
_PRINTED = re.compile(r"(<div class=\"jp-RenderedText[^>]*>\s*)<pre>(.*?)\s*</pre>", re.S)


def clean(content: str) -> str:
    """The HTML of a converted notebook, with code and printed output in the markup that the theme styles."""
    content = _DROPPED.sub("", content)
    content = content.replace('class="anchor-link"', 'class="headerlink" title="Permanent link"')
    content = _SOURCE.sub(r'<div class="highlight"><pre><code>\2</code></pre></div>', content)
    return _PRINTED.sub(r'\1<pre class="printed"><code>\2</code></pre>', content)
