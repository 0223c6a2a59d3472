"""How long a reader waits from the first touch to the first live answer, beside a stock Pyodide page in the same run.

    python scripts/bench_first_answer.py site [--runs 3] [--mbit 20 --delay 40]

`site` is the built book. The stock page loads the same Pyodide as its documentation says (`loadPyodide` with the npm
package's own library) in a module worker, unpacks the same package as sources, and asks for the same answer. Each cold run
has a fresh browser profile; warm runs reload in it. Times are milliseconds and medians; bytes are those on the wire, gzipped.
Absolute times are those of the machine; the ratio is the result.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from scripts import build_runtime, setup_browser  # noqa: E402
from scripts.serve import Faults, serving  # noqa: E402

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]
PAGE = """<!doctype html><meta charset="utf-8"><title>stock</title><button>go</button><script type="module">
document.querySelector("button").addEventListener("click", () => {
  const worker = new Worker(new URL("worker.mjs", location.href), { type: "module" });
  worker.onmessage = ({ data }) => { document.title = data; };
});</script>"""
WORKER = """import { loadPyodide } from "./pyodide.mjs";
const python = await loadPyodide({ indexURL: new URL("./", import.meta.url).href });
const wheel = await (await fetch("WHEEL")).arrayBuffer();
python.unpackArchive(wheel, "wheel");
const text = python.pyimport("calc.web").update("ESTIMATOR", "{}");
postMessage(JSON.parse(text).ok ? "answered" : "failed");"""


def stock(folder: Path, estimator: str) -> Path:
    """A page that starts Pyodide as its documentation does, with the package's wheel of sources."""
    folder.mkdir()
    for name in ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"):
        shutil.copyfile(build_runtime.PYODIDE / name, folder / name)
    wheel = build_runtime._wheel(folder.parent / "work")
    shutil.copyfile(wheel, folder / wheel.name)
    (folder / "index.html").write_text(PAGE, encoding="utf-8")
    (folder / "worker.mjs").write_text(WORKER.replace("WHEEL", wheel.name).replace("ESTIMATOR", estimator), encoding="utf-8")
    return folder


def book_page(site: Path) -> tuple[str, str, str]:
    """(path, widget's id, estimator) of the first widget in the book."""
    import re

    for page in sorted(site.rglob("*.html")):
        found = re.search(r'<section class="est" id="([^"]+)" data-est="([^"]+)"', page.read_text(encoding="utf-8"))
        if found:
            return page.relative_to(site).as_posix().removesuffix("index.html"), found[1], found[2]
    raise SystemExit(f"{site} holds no widget")


OURS = """name => new Promise((done, fail) => {
    setTimeout(() => fail(new Error('no answer in a minute')), 60_000);
    const section = document.getElementById(name), start = performance.now();
    const seen = new MutationObserver(() => {
        if (section.classList.contains('est-live') && performance.getEntriesByName('answered').length) done(performance.now() - start);
    });
    const part = section.querySelector('[data-part=answer]');
    new MutationObserver(() => performance.mark('answered')).observe(part, { childList: true });
    seen.observe(section, { attributes: true, subtree: true, childList: true });
    const range = section.querySelector('input[type=range]');
    range.stepUp();
    range.dispatchEvent(new Event('input', { bubbles: true }));
})"""
THEIRS = """() => new Promise((done, fail) => {
    setTimeout(() => fail(new Error('no answer in a minute')), 60_000);
    const start = performance.now();
    new MutationObserver(() => done(performance.now() - start)).observe(document.querySelector('title'), { childList: true });
    document.querySelector('button').click();
})"""


def measure(playwright, server, path: str, script: str, argument, warm: int) -> tuple[float, list[float], int]:
    """(milliseconds cold, milliseconds warm, bytes on the wire after the touch) in one fresh profile."""
    with tempfile.TemporaryDirectory() as profile:
        context = playwright.chromium.launch_persistent_context(profile, executable_path=setup_browser.find(), headless=True, args=FLAGS)
        page = context.pages[0]
        page.goto(server.url + path)
        page.wait_for_timeout(500)
        server.log.clear()
        cold = page.evaluate(script, argument)
        size, later = sum(request.size for request in server.log), []
        for _ in range(warm):
            page.wait_for_timeout(800)
            page.goto(server.url + path)
            page.wait_for_timeout(500)
            later.append(page.evaluate(script, argument))
        context.close()
    return cold, later, size


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("site", type=Path)
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--mbit", type=float, default=0)
    options.add_argument("--delay", type=float, default=0, help="milliseconds before each reply")
    given = options.parse_args()
    path, name, estimator = book_page(given.site)
    faults = Faults(compress=True, max_age=3600, bits_per_second=given.mbit * 1e6, delay=given.delay / 1e3)
    rows: dict[str, list] = {"book": [], "stock": []}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        plain = stock(Path(folder) / "stock", estimator)
        with serving(given.site, faults) as ours, serving(plain, faults) as theirs:
            for _ in range(given.runs):
                rows["book"].append(measure(playwright, ours, path, OURS, name, 2))
                rows["stock"].append(measure(playwright, theirs, "", THEIRS, None, 2))
    middle = {}
    for who, runs in rows.items():
        cold, warm = statistics.median(r[0] for r in runs), statistics.median(t for r in runs for t in r[1])
        middle[who] = cold, warm, runs[0][2]
        print(f"{who:6} cold {cold:7,.0f} ms   warm {warm:7,.0f} ms   {runs[0][2]:,} B on the wire")
    ratios = [a / b for a, b in zip(middle["book"], middle["stock"], strict=True)]
    print("ratio  cold {:.2f}   warm {:.2f}   bytes {:.2f}".format(*ratios))


if __name__ == "__main__":
    main()
