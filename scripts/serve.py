"""A static server for the built site, and for tests that need a network which misbehaves.

`python scripts/serve.py site` serves the folder at http://127.0.0.1:8000/ai-infra/; with `--watch` it rebuilds
when a source file changes. Tests use `serving(folder, Faults(...))`. Standard library only.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from fnmatch import fnmatch
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
HOST, PORT, PREFIX = "127.0.0.1", 8000, "/ai-infra/"

TYPES = {
    ".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8", ".json": "application/json", ".map": "application/json",
    ".mjs": "text/javascript; charset=utf-8", ".png": "image/png", ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8", ".wasm": "application/wasm", ".webp": "image/webp",
    ".whl": "application/zip", ".woff2": "font/woff2", ".xml": "application/xml", ".zip": "application/zip",
}


@dataclass
class Faults:
    """What a test wants to go wrong, or to be measured. Patterns are shell globs over the path below the prefix.

    missing: patterns answered 404.  types: pattern -> MIME type ("" sends none).  headers: sent with every reply.
    bits_per_second: rate of the whole link, shared by all replies; 0 is unlimited.  delay: seconds before each reply.
    compress: gzip what a client accepts.  max_age: seconds in Cache-Control; 0 sends no-cache.
    """

    missing: list[str] = field(default_factory=list)
    types: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    bits_per_second: float = 0
    delay: float = 0
    compress: bool = False
    max_age: int = 0


@dataclass
class Request:
    """One line of the request log: path below the prefix, status sent, bytes of body on the wire."""

    path: str
    status: int
    size: int


class StaticServer(ThreadingHTTPServer):
    """Serves `folder` below `prefix`. `faults` may be changed between requests; `log` is the list of `Request`."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, folder: Path, port: int = 0, prefix: str = PREFIX, faults: Faults | None = None):
        self.folder, self.prefix, self.faults = Path(folder).resolve(), prefix, faults or Faults()
        self.log: list[Request] = []
        self._packed: dict[tuple, bytes] = {}
        self._link, self._link_free = threading.Lock(), 0.0
        super().__init__((HOST, port), _Handler)

    @property
    def url(self) -> str:
        """Address of the site's first page, with its closing slash."""
        return f"http://{HOST}:{self.server_address[1]}{self.prefix}"

    def handle_error(self, request, client_address) -> None:
        """A reader who leaves a page closes connections; that is no error of the server."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def packed(self, file: Path) -> bytes:
        """The file, gzipped, kept for as long as the file does not change."""
        key = (file, file.stat().st_mtime_ns)
        if key not in self._packed:
            self._packed[key] = gzip.compress(file.read_bytes(), 6, mtime=0)
        return self._packed[key]

    def wait_for_link(self, size: int) -> None:
        """Sleep for as long as `size` bytes take on the shared link."""
        if not self.faults.bits_per_second:
            return
        with self._link:
            self._link_free = max(time.monotonic(), self._link_free) + size * 8 / self.faults.bits_per_second
            pause = self._link_free - time.monotonic()
        time.sleep(max(0.0, pause))


class _Handler(BaseHTTPRequestHandler):
    server: StaticServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        faults, path = self.server.faults, unquote(urlsplit(self.path).path)
        time.sleep(faults.delay)
        if not path.startswith(self.server.prefix):
            if path in ("/", self.server.prefix.rstrip("/")):
                return self._send(302, b"", "text/plain", {"Location": self.server.prefix})
            return self._send(404, b"Nothing is served outside " + self.server.prefix.encode(), "text/plain")
        name = path[len(self.server.prefix):]
        file = (self.server.folder / name).resolve()
        if file.is_dir():
            if name and not name.endswith("/"):
                return self._send(302, b"", "text/plain", {"Location": path + "/"})
            file, name = file / "index.html", name + "index.html"
        inside = file.is_relative_to(self.server.folder)
        if not inside or not file.is_file() or any(fnmatch(name, pattern) for pattern in faults.missing):
            page = self.server.folder / "404.html"
            return self._send(404, page.read_bytes() if page.is_file() else b"404", TYPES[".html"])
        kind = TYPES.get(file.suffix, "application/octet-stream")
        kind = next((given for pattern, given in faults.types.items() if fnmatch(name, pattern)), kind)
        tag = f'"{file.stat().st_size:x}-{file.stat().st_mtime_ns:x}"'
        headers = {"ETag": tag}
        if self.headers.get("If-None-Match") == tag:
            return self._send(304, b"", kind, headers)
        body = file.read_bytes()
        if faults.compress and "gzip" in self.headers.get("Accept-Encoding", "") and file.suffix != ".woff2":
            body, headers["Content-Encoding"] = self.server.packed(file), "gzip"
        return self._send(200, body, kind, headers)

    do_HEAD = do_GET

    def _send(self, status: int, body: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        faults = self.server.faults
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", f"public, max-age={faults.max_age}" if faults.max_age else "no-cache")
        for name, value in {**(headers or {}), **faults.headers}.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            body = b""
        path = self.path.partition("?")[0].removeprefix(self.server.prefix)
        self.server.log.append(Request(path, status, len(body)))
        for start in range(0, len(body), 16384):
            self.server.wait_for_link(len(body[start:start + 16384]))
            self.wfile.write(body[start:start + 16384])

    def log_message(self, format: str, *values: object) -> None:
        """Quiet: the log is `server.log`."""


@contextlib.contextmanager
def serving(folder: Path, faults: Faults | None = None, port: int = 0, prefix: str = PREFIX):
    """Serve `folder` from a thread for the length of a `with` block; gives the `StaticServer`."""
    server = StaticServer(folder, port, prefix, faults)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _newest() -> float:
    sources = [ROOT / "mkdocs.yml"]
    for name in ("docs", "calc", "overrides", "scripts"):
        sources += (path for path in (ROOT / name).rglob("*") if "__pycache__" not in path.parts)
    return max(path.stat().st_mtime for path in sources if path.is_file())


def _rebuild_on_change() -> None:
    """Build again, in a fresh process so that changed code counts, whenever a source is newer than the last build."""
    seen = _newest()
    while True:
        time.sleep(1)
        with contextlib.suppress(OSError):
            now = _newest()
            if now > seen:
                seen = now
                print("changed; building again", flush=True)
                done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict"], cwd=ROOT)
                print("built; reload the page" if done.returncode == 0 else "the build failed, see above", flush=True)


def main() -> None:
    """Serve a folder until interrupted."""
    parser = argparse.ArgumentParser(description="Serve the built site.")
    parser.add_argument("folder", nargs="?", default=ROOT / "site", type=Path)
    parser.add_argument("--port", type=int, default=PORT)
    parser.add_argument("--prefix", default=PREFIX, help="path below which the site is served, with both slashes")
    parser.add_argument("--watch", action="store_true", help="build again when a source file changes")
    options = parser.parse_args()
    if not (options.folder / "index.html").is_file():
        raise SystemExit(f"{options.folder} holds no built site: run `make site` first")
    try:
        server = StaticServer(options.folder, options.port, options.prefix)
    except (OSError, OverflowError) as error:
        other = 8001 if options.port != 8001 else 8002
        raise SystemExit(f"port {options.port} can't be served ({getattr(error, 'strerror', error)}); "
                         f"try another: make serve PORT={other}, or --port {other}") from None
    print(f"The book is at {server.url}  (Ctrl-C stops)", flush=True)
    if options.watch:
        threading.Thread(target=_rebuild_on_change, daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()


if __name__ == "__main__":
    main()
