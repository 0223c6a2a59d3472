"""The built book: what is on its pages, whatever they say."""

import gzip
import json
import re

import pytest

from calc import estimator
from calc.catalog import ACCELERATORS, LINKS, MODELS, SOURCES, WORKLOADS
from scripts import formulas, notebooks

CHAPTERS = ["First Encounter", "Model Architecture", "Inference and Training Workloads", "Accelerator Architecture",
            "Operators and Runtime", "Supernodes", "Datacenter Networks", "Inference Optimization",
            "Distributed Inference", "Training Systems", "Resource Scheduling", "Edge-Cloud Coordination"]


def text(page):
    return page.read_text(encoding="utf-8")


def test_home_names_twelve_chapters_in_order(site_dir):
    """The first page lists the twelve chapters, each with its key question."""
    page = text(site_dir / "index.html").partition('id="the-twelve-chapters"')[2]
    # An entry opens its element; the heading of a part may hold a chapter's title inside its own.
    places = [page.index(f">{title}") for title in CHAPTERS]
    assert places == sorted(places)
    assert page[places[0]:].count("?</p>") >= 12


def test_reference_lists_every_estimator_and_record(site_dir):
    """No estimator, model, accelerator, link, workload or source is missing from the reference."""
    for page, ids in {"estimators": estimator.ids(), "models": MODELS, "accelerators": ACCELERATORS, "links": LINKS,
                      "workloads": WORKLOADS}.items():
        shown = text(site_dir / "reference" / page / "index.html")
        assert [id for id in ids if f"<code>{id}</code>" not in shown] == []
    shown = text(site_dir / "reference" / "sources" / "index.html")
    assert [id for id in SOURCES if f'id="{id}"' not in shown] == []


def test_notation_lists_every_input_name(site_dir):
    """The table of names on the notation page holds the inputs of all estimators."""
    shown = text(site_dir / "notation" / "index.html")
    names = {name for id in estimator.ids() for name in estimator.find(id).inputs}
    assert [name for name in sorted(names) if f"<code>{name}</code>" not in shown] == []


def test_every_page_says_what_it_is(site_dir):
    """Each page has its own title, a description and a canonical address for search engines and link previews."""
    for path in site_dir.rglob("index.html"):
        page = text(path)
        assert re.search(r'<meta name="description" content="[^"]{20,}">', page), path
        assert re.search(r'<link rel="canonical" href="http', page), path
        assert re.search(r'<meta property="og:title" content="[^"]+">', page), path


def test_pages_are_light(site_dir):
    """A page of the book is under 100 kB gzipped, one of the reference under 150 kB."""
    for path in site_dir.rglob("*.html"):
        size = len(gzip.compress(path.read_bytes(), 6))
        assert size < (150_000 if "reference" in path.parts else 100_000), (path, size)


def test_search_finds_prose_and_not_controls(site_dir):
    """The search index holds words of the pages, and no scripts, form controls or a formula's visual half."""
    index = json.loads(text(site_dir / "search" / "search_index.json"))
    words = " ".join(entry["text"] for entry in index["docs"])
    assert "what is moved, how much, how many times" in words
    for noise in ("<script", "katex", "<option", "function(", "Pin as A"):
        assert noise not in words


def test_styles_of_formulas_name_only_files_that_are_served():
    """KaTeX's style sheet is cut to woff2, and every font it names comes along."""
    files = formulas.assets()
    css = files["assets/katex/katex.min.css"]
    named = set(re.findall(r"url\((fonts/[^)]+)\)", css))
    assert named and all(f"assets/katex/{name}" in files for name in named)
    assert all(name.endswith(".woff2") for name in named)


def test_formula_has_a_visual_half_and_mathml():
    """A formula carries MathML for reading aloud, and its visual half is left out of the search index."""
    made = formulas.typeset("B^{*}=\\frac{w\\,\\Pi}{2\\,\\beta}", True)
    assert "<math" in made and made.count("<k-v data-search-exclude>") == made.count("</k-v>") == 1
    assert made.index("</math>") < made.index("<k-v")
    assert made.count("<span") == made.count("</span>")
    inline = formulas.typeset("w < \\beta", False)
    assert inline.count("<span") == inline.count("</span>") and "katex-display" not in inline
    formulas.close()


def test_refused_formula_is_named():
    """A formula that KaTeX refuses raises an error with the formula and the reason."""
    with pytest.raises(formulas.FormulaError, match=r"\\\\nosuchcommand"):
        formulas.typeset("\\nosuchcommand{x}", False)
    formulas.close()


def test_a_lab_carries_no_styles_scripts_or_copies_of_its_code():
    """A converted notebook keeps its text, its source and what it printed once each, in the theme's own markup."""
    converted = (
        '<style type="text/css">.jp{}</style><div tabindex="0"><h1 id="a">A<a class="anchor-link" href="#a">¶</a></h1>'
        '<div class="zeroclipboard-container">\n<clipboard-copy for="cell-1"><svg></svg></clipboard-copy>\n</div>'
        '<div class="highlight-ipynb hl-python"><pre><span></span><span class="n">x</span>\n</pre></div>'
        '<div class="clipboard-copy-txt" id="cell-1">x</div><div class="jp-RenderedText" data-mime-type="text/plain">\n'
        '<pre>5\n</pre></div></div><script>let a</script>'
    )
    assert notebooks.clean(converted) == (
        '<div><h1 id="a">A<a class="headerlink" title="Permanent link" href="#a">¶</a></h1>'
        '<div class="highlight"><pre><code><span class="n">x</span></code></pre></div>'
        '<div class="jp-RenderedText" data-mime-type="text/plain">\n<pre class="printed"><code>5</code></pre></div></div>'
    )
