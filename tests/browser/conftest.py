"""A small book, built once and served at its own port, and a page that notices requests to anywhere else."""

import pytest

from tests.browser import trial_site
from tests.conftest import BROWSER_FLAGS  # noqa: F401  (the browser fixture uses them)


@pytest.fixture(scope="session")
def book(tmp_path_factory):
    """The trial book's server."""
    import socket

    from scripts.serve import serving

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = trial_site.build(tmp_path_factory.mktemp("trial"), port)
    with serving(folder, port=port) as server:
        yield server


@pytest.fixture
def trial(book):
    """The trial book's server in good order: no faults, an empty log."""
    from scripts.serve import Faults

    book.faults = Faults()
    book.log.clear()
    yield book
    book.faults = Faults()


@pytest.fixture
def open_page(browser, trial):
    """A function that opens a page of the trial book in a fresh context; off-origin requests and page errors fail the test."""
    opened, elsewhere, errors = [], [], []

    def open_page(path="", wait="load", **options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        context.set_default_timeout(12_000)
        opened.append(context)
        context.on("request", lambda r: elsewhere.append(r.url) if not r.url.startswith((trial.url, "blob:", "data:")) else None)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(trial.url + path, wait_until=wait)
        return page

    yield open_page
    for context in opened:
        context.close()
    assert elsewhere == [] and errors == []
