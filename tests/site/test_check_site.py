"""The check of built pages finds each kind of mistake, and nothing on a page without one."""

import pytest

from scripts.check_site import check, check_markdown

PAGE = """<!doctype html><html lang="en"><head><title>t</title><link rel="stylesheet" href="../style.css">
<link rel="canonical" href="https://book.example/a/"></head><body><article><h1 id="top">One</h1><h2 id="two">Two</h2>
<p>Costs $2 and x. <a href="#two">below</a> <a href="../">home</a> <a href="https://example.org/x">out</a>
<code>python -m calc</code></p><pre><code>#!/bin/sh
echo \\( $$ [^ {{</code></pre><img src="../dot.png" alt="a dot">%s</article></body></html>"""


def site(folder, addition="", style="body{background:url(dot.png)}"):
    (folder / "a").mkdir()
    (folder / "a" / "index.html").write_text(PAGE % addition)
    (folder / "index.html").write_text('<h1 id="home">Home</h1><a href="a/#two">two</a>')
    (folder / "style.css").write_text(style)
    (folder / "dot.png").write_bytes(b"")
    return folder


def test_sound_site_has_no_problem(tmp_path):
    """Pages without a mistake give no problem, whatever their code blocks and outward links hold."""
    assert check(site(tmp_path)) == []


MISTAKES = {
    "<p><code>#!calcc x -> y</code></p>": "not computed",
    "<p>so #!calc x</p>": "'#!'",
    "<p>see \\(x\\)</p>": "shown as text",
    "<p>see \\[x\\]</p>": "shown as text",
    "<p>see $$x$$</p>": "shown as text",
    "<p>see [^7]</p>": "shown as text",
    "<p>{{ page.title }}</p>": "shown as text",
    '<span class="arithmatex">x</span>': "formula was not typeset",
    "<p>1.\n   What is moved?</p>": "a list was left as a paragraph",
    "<p>- one\n- two</p>": "a list was left as a paragraph",
    "<p>| a | b |\n|---|:-----:|\n| 1 | 2 |</p>": "a table was left as text",
    "<p><code>estimate\nid: x</code></p>": "left as code",
    '<a href="#nowhere">x</a>': "no id 'nowhere'",
    '<a href="../#nowhere">x</a>': "no id 'nowhere'",
    '<a href="../b/">x</a>': "leads to no file",
    '<a href="/a/">x</a>': "breaks below a sub-path",
    '<a href="../../../x">x</a>': "leaves the site",
    '<a href="javascript:alert(1)">x</a>': "no link that a page may hold",
    '<a href="//elsewhere.example/x">x</a>': "no link that a page may hold",
    '<script src="/assets/x.js"></script>': "breaks below a sub-path",
    '<script src="https://cdn.example/x.js"></script>': "another origin",
    '<link rel="stylesheet" href="//cdn.example/x.css">': "another origin",
    '<link rel="preload" href="https://cdn.example/x.woff2">': "another origin",
    '<img src="https://cdn.example/x.png" alt="">': "another origin",
    '<img srcset="../dot.png 1x, https://cdn.example/x.png 2x" alt="">': "another origin",
    '<svg><use href="https://cdn.example/x.svg#a"/></svg>': "another origin",
    '<img src="../none.png" alt="">': "leads to no file",
    '<img src="../dot.png">': "no alt text",
    '<p id="two">x</p>': "used twice",
    '<h4 id="deep">x</h4>': "level 4 follows one of level 2",
    '<h1 id="again">x</h1>': "2 first-level headings",
}


@pytest.mark.parametrize("addition", MISTAKES)
def test_mistake_is_found_once(tmp_path, addition):
    """Each mistake gives one problem, which names the page and the reason."""
    found = check(site(tmp_path, addition))
    assert [problem.page for problem in found] == ["a/index.html"]
    assert MISTAKES[addition] in found[0].reason


@pytest.mark.parametrize("style, reason", [
    ("@import 'https://cdn.example/x.css';", "another origin"),
    ("a{background:url(//cdn.example/x.png)}", "another origin"),
    ("a{background:url(/x.png)}", "sub-path"),
    ("a{background:url(none.png)}", "no file"),
])
def test_style_sheets_stay_on_the_site(tmp_path, style, reason):
    """A style sheet that fetches from elsewhere, by an absolute path, or a file that isn't there is a problem."""
    (problem,) = check(site(tmp_path, style=style))
    assert problem.page == "style.css" and reason in problem.reason


def test_only_the_404_page_may_name_the_sites_path(tmp_path):
    """404.html is sent for any address, so its links hold the site's path; no other page's may."""
    site(tmp_path)
    (tmp_path / "404.html").write_text('<h1 id="x">Not found</h1><a href="/book/a/">a</a><a href="/else/">b</a>')
    found = check(tmp_path, "https://book.example/book/")
    assert [(problem.page, "'/else/'" in problem.reason) for problem in found] == [("404.html", True)]


@pytest.mark.parametrize("text, named", [
    ("```estimat\nid: x\n```", "'estimat'"), ("    ```estimat\n    id: x\n    ```", "'estimat'"),
    ("~~~ {.estimat}\nid: x\n~~~", "'estimat'"), ("so `#!calcc x -> y` it", "'#!calcc'"), ("`#! calc x`", "'#!'"),
])
def test_unknown_language_is_found_in_the_source(text, named):
    """A misspelt fence or inline number leaves no trace in the HTML, so the page's source is looked at."""
    (reason,) = check_markdown(text)
    assert named in reason


@pytest.mark.parametrize("text", [
    "```estimate\nid: x\n```", "```python\nx\n```\n`#!calc x -> y`", "```\nplain\n```", "`#!python x`",
    "````text\n```estimat\n```\n````", "```text\n`#!calcc x`\n```", "`` `#!calc x` ``",
])
def test_known_languages_and_quoted_source_pass(text):
    """Known languages pass, and so does source that a page quotes in a fence."""
    assert check_markdown(text) == []
