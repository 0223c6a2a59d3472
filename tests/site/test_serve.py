"""The static server: what a reader gets, and the faults that tests ask for."""

import gzip
import time
import urllib.error
import urllib.request

import pytest

from scripts.serve import Faults, serving


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "index.html").write_text("home")
    (tmp_path / "a" / "index.html").write_text("page a")
    (tmp_path / "404.html").write_text("no such page")
    (tmp_path / "x.mjs").write_text("export {}")
    (tmp_path / "x.wasm").write_bytes(b"\0asm" * 5000)
    return tmp_path


def get(address, **headers):
    request = urllib.request.Request(address, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as reply:
            return reply.status, reply.headers, reply.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def test_pages_are_served_below_the_sub_path(folder):
    """A folder's address gives its index page, without the closing slash too; a missing one gives the site's 404 page."""
    with serving(folder) as server:
        assert get(server.url)[2] == b"home"
        assert get(server.url + "a/")[2] == get(server.url + "a?x=1")[2] == b"page a"
        assert get(server.url + "b/")[::2] == (404, b"no such page")
        assert get(server.url.replace("/ai-infra/", "/other/"))[0] == 404


@pytest.mark.parametrize("path", ["../secret", "%2e%2e/secret", "a/../../secret", "..%2fsecret"])
def test_nothing_outside_the_folder_is_served(folder, path):
    """No spelling of the parent folder leads out of the site."""
    site = folder / "a"
    (folder / "secret").write_text("secret")
    with serving(site) as server:
        status, _, body = get(server.url + path)
        assert status == 404 and b"secret" not in body


@pytest.mark.parametrize("name, kind", [("x.mjs", "text/javascript"), ("x.wasm", "application/wasm"), ("", "text/html")])
def test_types_are_those_a_browser_insists_on(folder, name, kind):
    """Modules and WebAssembly carry the MIME types without which a browser refuses them."""
    with serving(folder) as server:
        assert get(server.url + name)[1].get_content_type() == kind


def test_faults_are_as_asked(folder):
    """Missing files, wrong types, extra headers and compression come as the test asks, and the log counts bytes sent."""
    faults = Faults(missing=["*.mjs"], types={"*.wasm": "text/plain"}, headers={"X-Test": "1"}, compress=True)
    with serving(folder, faults) as server:
        assert get(server.url + "x.mjs")[0] == 404
        _, headers, body = get(server.url + "x.wasm", **{"Accept-Encoding": "gzip"})
        assert headers["Content-Type"] == "text/plain" and headers["X-Test"] == "1"
        assert gzip.decompress(body) == b"\0asm" * 5000
        assert [(r.path, r.status, r.size) for r in server.log][1] == ("x.wasm", 200, len(body))


def test_rate_and_delay_slow_the_link(folder):
    """20,000 bytes at 800 kbit/s take at least 0.2 s, and a delay comes before each reply."""
    with serving(folder, Faults(bits_per_second=800_000, delay=0.1)) as server:
        start = time.monotonic()
        get(server.url + "x.wasm")
        assert time.monotonic() - start >= 0.29


def test_unchanged_file_is_not_sent_again(folder):
    """A browser that holds the file gets 304 and no body."""
    with serving(folder) as server:
        tag = get(server.url + "x.wasm")[1]["ETag"]
        status, _, body = get(server.url + "x.wasm", **{"If-None-Match": tag})
        assert (status, body) == (304, b"")
