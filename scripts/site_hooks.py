"""What the build does besides Markdown: formulas, generated pages, the browser's Python, and the final check."""

from __future__ import annotations

import html
import re
from pathlib import Path

import build_runtime
import check_site
import formulas
import notebooks
import reality_check
import reference
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

from calc.render import client
from calc.render.html import level_headings

SEARCH = '<div class="md-search" data-md-component="search" role="dialog"'
NAMES_TABLE = "<!-- names table: generated -->"
_PARAGRAPH = re.compile(r"<p>(.+?)</p>", re.S)
_ID = re.compile(r'\sid="([^"]+)"')
_WIDGET = re.compile(r'<section class="est".*?</section>', re.S)
_LIST = re.compile(r'aria-labelledby="(__nav_[0-9_]+)_label"')
_LIST_TITLE = re.compile(r'<label class="md-nav__title" for="(__nav_[0-9_]+)"')
_TAG = re.compile(r"<[^>]+>")


def on_files(files, config):
    """Add what exists nowhere but in the built site: KaTeX's styles and fonts, the widgets' lists, the reference pages."""
    for path, source in {**formulas.assets(), "assets/est-data.mjs": client.module(),
                         "assets/est-own-form.mjs": client.own_form()}.items():
        given = {"content": source} if isinstance(source, str) else {"abs_src_path": str(source)}
        files.append(File.generated(config, path, **given))
    if config.extra.get("reference"):
        for path, text in {**reference.pages(Path(config.docs_dir)), "reference/reality-check.md": reality_check.page()}.items():
            files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    """Refuse what Markdown would pass over in silence; fill in the table of input names where a page asks for it."""
    reasons = check_site.check_markdown(markdown)
    if reasons:
        raise PluginError("\n".join(f"{page.file.src_uri}: {reason}" for reason in reasons))
    if NAMES_TABLE in markdown:
        return markdown.replace(NAMES_TABLE, reference.names_table())
    return markdown


def on_page_content(content, page, config, files):
    """Typeset the formulas; take the description for search engines from the page's first paragraph."""
    if page.file.src_uri.endswith(".ipynb"):
        content = notebooks.clean(content)
    content = level_headings(content)
    # MkDocs knows the ids of headings only; an estimator's id is a place to link to as well.
    page.present_anchor_ids = (page.present_anchor_ids or set()) | set(_ID.findall(content))
    if "description" not in page.meta:
        opening = next((text for text in _PARAGRAPH.findall(_WIDGET.sub("", content)) if "arithmatex" not in text), "")
        plain = " ".join(html.unescape(_TAG.sub("", opening)).split())
        if plain:
            short = plain if len(plain) <= 200 else plain[:197].rsplit(" ", 1)[0] + " …"
            page.meta["description"] = html.escape(short)
    try:
        return formulas.typeset_page(content)
    except formulas.FormulaError as problem:
        raise PluginError(f"{page.file.src_uri}: {problem}") from problem


def on_post_page(output, page, config):
    """Take out the script of another origin that mkdocs-jupyter puts on every page; name what the theme leaves nameless."""
    return _named(notebooks.MATHJAX.sub("", output))


def on_post_template(output_content, template_name, config):
    """The same for the page that says that there is no such page."""
    return _named(output_content) if template_name.endswith(".html") else output_content


def _named(output):
    # The theme names a chapter's list by a label that is empty where the chapter has a page of its own.
    output = _LIST.sub(r'aria-labelledby="\1_title"', output.replace(SEARCH, SEARCH + ' aria-label="Search"'))
    return _LIST_TITLE.sub(r'\g<0> id="\1_title"', output)


def on_post_build(config):
    """Build the browser's Python and check every page; a problem fails the build with its page and reason."""
    formulas.close()
    site = Path(config.site_dir)
    if config.extra.get("runtime"):
        try:
            build_runtime.build(site)
        except build_runtime.RuntimeBuildError as problem:
            raise PluginError(f"the browser's Python: {problem}") from problem
    problems = check_site.check(site, config.site_url)
    if problems:
        raise PluginError("\n".join(["the built pages have problems:", *map(str, problems)]))


def on_build_error(error):
    """End the formula process with the build."""
    formulas.close()
