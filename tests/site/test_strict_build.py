"""What must fail `mkdocs build --strict`, tried on a site of two pages with the book's own settings."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = f"""
INHERIT: {ROOT}/mkdocs.yml
docs_dir: docs
site_dir: site
site_url: http://127.0.0.1:8000/ai-infra/
theme: {{custom_dir: {ROOT}/overrides}}
hooks: [{ROOT}/scripts/site_hooks.py]
extra: {{runtime: false, reference: false}}
extra_css: [assets/katex/katex.min.css]
extra_javascript: []
nav: [index.md, second.md]
"""
GOOD = """# First

One step takes `#!calc decode-step batch=8 -> step_time`, from $w/\\beta$, see [below](second.md#decode-step).[^1]

[^1]: A note.
"""
SECOND = """# Second

```estimate
id: decode-step
batch: 64
```
"""


def build(folder: Path, first: str, second: str = SECOND) -> subprocess.CompletedProcess:
    (folder / "docs").mkdir()
    (folder / "mkdocs.yml").write_text(SETTINGS)
    (folder / "docs" / "index.md").write_text(first)
    (folder / "docs" / "second.md").write_text(second)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(folder / "mkdocs.yml")]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


def test_good_pages_build(tmp_path):
    """A page with an estimator, an inline number, a formula, a footnote and a link to an estimator's id builds."""
    done = build(tmp_path, GOOD)
    assert done.returncode == 0, done.stdout + done.stderr
    page = (tmp_path / "site" / "index.html").read_text()
    assert "<math" in page and "#!calc" not in page and "\\beta</annotation>" in page


BROKEN = {
    "a fence of an unknown estimator": ("```estimate\nid: decode-stpe\n```", "decode-step"),
    "a fence with a value out of range": ("```estimate\nid: decode-step\nbatch: 0\n```", "batch: 0 is outside"),
    "a fence with an unknown input": ("```estimate\nid: decode-step\nbathc: 2\n```", "bathc"),
    "an inline number of an unknown term": ("Takes `#!calc decode-step -> step_tiem`.", "step_tiem"),
    "an inline number of an unknown estimator": ("Takes `#!calc decode-stpe -> step_time`.", "decode-stpe"),
    "a link to no page": ("[there](third.md)", "third.md"),
    "a link to no anchor": ("[there](second.md#no-such-place)", "no-such-place"),
    "a formula that KaTeX refuses": ("Text $\\frac{1}$ here.", "\\frac{1}"),
    "a misspelt inline number": ("Takes `#!calcc decode-step -> step_time`.", "#!calcc"),
    "an undefined footnote": ("Text.[^9]", "[^9]"),
    "an unknown fence": ("```estimat\nid: decode-step\n```", "estimat"),
    "a figure that is not there": ('--8<-- "figures/01/no-such.svg"', "no-such.svg"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_broken_page_fails_the_build(tmp_path, what):
    """A mistake on a page fails the strict build, with a message that names it."""
    text, named = BROKEN[what]
    done = build(tmp_path, f"{GOOD}\n{text}\n")
    assert done.returncode != 0
    assert named in done.stdout + done.stderr
