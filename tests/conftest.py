"""What the tests share: the book built once, a server for it that can misbehave, and one browser."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import setup_browser

ROOT = Path(__file__).resolve().parent.parent
if sys.version_info < (3, 13):
    # The book is built, and run in the browser, by 3.13 alone; older Pythons are promised the package.
    collect_ignore = ["browser", "labs", "parity", "site", "test_setup.py"]
# Chromium's own background traffic would count as requests of the page, and waits on a machine without a network.
BROWSER_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def site_port() -> int:
    """A free port: instant navigation works only when the site is served at the port it was built for."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="session")
def site_dir(site_port, tmp_path_factory) -> Path:
    """Folder of the whole book, built as `make site` builds it, for http://127.0.0.1:PORT/ai-infra/."""
    folder = tmp_path_factory.mktemp("built") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "SITE_URL": f"http://127.0.0.1:{site_port}/ai-infra/", "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode:
        pytest.fail(f"the book does not build:\n{done.stdout}\n{done.stderr}", pytrace=False)
    return folder


@pytest.fixture(scope="session")
def running_server(site_dir, site_port):
    """The one server of the session; tests take `server`, which hands it over in good order."""
    from scripts.serve import serving

    with serving(site_dir, port=site_port) as server:
        yield server


@pytest.fixture
def server(running_server):
    """The book's server at the address it was built for: no faults, an empty log, `server.url` its first page."""
    from scripts.serve import Faults

    running_server.faults = Faults()
    running_server.log.clear()
    yield running_server
    running_server.faults = Faults()


@pytest.fixture(scope="session")
def browser():
    """One headless Chromium, driven by Playwright; a test opens its own context in it."""
    from playwright.sync_api import sync_playwright

    path = setup_browser.find()
    if path is None:
        pytest.fail("no Chromium or Chrome starts: run `make setup`, or set CHROMIUM to the path of one", pytrace=False)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, headless=True, args=BROWSER_FLAGS)
        yield chromium
        chromium.close()
