"""The browser's Python: Pyodide, a trimmed and compiled standard library and `calc`, in a folder named by its content.

    site/runtime/manifest.json     at a stable address: where the folder is, what is in it, how large it is
    site/runtime/<hash>/           pyodide.mjs, pyodide.asm.js, pyodide.asm.wasm, python_stdlib.zip, the wheel

The manifest: {"folder": "<hash>/", "python", "pyodide", "calc": versions, "files": {"module", "glue", "wasm",
"stdlib", "wheel": {"name", "size", "gzip"}}, "size", "gzip": totals in bytes, "text": what a reader downloads, in words,
"lock": {"info", "packages"}}; `lock` is what the worker passes as `lockFileContents`, so that nothing else is fetched.

Needs the Python minor version that Pyodide runs, because bytecode is compiled by the host. Unchanged inputs are not
built again (`.cache/runtime/`).
"""

from __future__ import annotations

import ast
import contextlib
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from calc.format import show

ROOT = Path(__file__).resolve().parent.parent
PYODIDE = ROOT / "node_modules" / "pyodide"
CACHE = ROOT / ".cache" / "runtime"
KEPT = 4  # builds kept in the cache
SCRIPTS = ("build_runtime.py", "runtime_probe.py", "runtime_probe.mjs")
EPOCH = 315532800  # 1980-01-01, the first date a zip can hold
STDLIB_IN_PYODIDE = "/lib/python313.zip/"
# Read only from a source tree: a wheel carries its tables as JSON.
NEVER_REACHED = {"tomllib"}


class RuntimeBuildError(RuntimeError):
    """The browser's Python can't be built, or would not work; the message says what to change."""


def build(site: Path) -> dict:
    """Put the runtime into `site`/runtime, from the cache when nothing changed; returns the manifest."""
    key = _inputs_hash()
    cached = CACHE / key
    if not (cached / "manifest.json").is_file():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as name:
            _make(Path(name))
            # Another build may have finished the same folder meanwhile: its content is the same.
            shutil.copytree(Path(name) / "out", CACHE / f"{key}.{os.getpid()}")
            with contextlib.suppress(OSError):
                (CACHE / f"{key}.{os.getpid()}").rename(cached)
        for old in sorted(CACHE.iterdir(), key=lambda folder: folder.stat().st_mtime)[:-KEPT]:
            shutil.rmtree(old, ignore_errors=True)
    target = Path(site) / "runtime"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(cached, target)
    return json.loads((target / "manifest.json").read_text(encoding="utf-8"))


def _sources() -> list[Path]:
    package = [p for p in (ROOT / "calc").rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    project = [ROOT / name for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE")]
    return sorted(package) + [path for path in project if path.is_file()]


def _inputs_hash() -> str:
    digest = hashlib.sha256(sys.version.encode())
    own = [ROOT / "scripts" / name for name in SCRIPTS]
    for path in [*_sources(), *own, PYODIDE / "package.json"]:
        digest.update(f"{path.relative_to(ROOT)}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _make(work: Path) -> None:
    versions = _versions()
    wheel = _wheel(work)
    full = PYODIDE / "python_stdlib.zip"
    before = _probe(full, wheel)
    stdlib = work / "python_stdlib.zip"
    _trim(full, stdlib, {f.removeprefix(STDLIB_IN_PYODIDE) for f in before["files"] if f.startswith(STDLIB_IN_PYODIDE)})
    _check_imports(stdlib, set(before["builtin"]))
    stdlib, wheel = _compiled(stdlib), _compiled(wheel)
    after = _probe(stdlib, wheel, "brief")["answers"]
    for name, texts in after.items():
        if not set(texts) <= set(before["answers"][name]):
            raise RuntimeBuildError(f"{name or 'calc.web'} answers differently with the trimmed library: "
                                    f"{next(text for text in texts if text not in before['answers'][name])[:300]}")
    files = {"module": PYODIDE / "pyodide.mjs", "glue": PYODIDE / "pyodide.asm.js",
             "wasm": PYODIDE / "pyodide.asm.wasm", "stdlib": stdlib, "wheel": wheel}
    digest = hashlib.sha256()
    for file in files.values():
        digest.update(file.name.encode() + file.read_bytes())
    folder = digest.hexdigest()[:12]
    (work / "out" / folder).mkdir(parents=True)
    listed = {}
    for role, file in files.items():
        data = file.read_bytes()
        (work / "out" / folder / file.name).write_bytes(data)
        listed[role] = {"name": file.name, "size": len(data), "gzip": len(gzip.compress(data, 6, mtime=0))}
    totals = {unit: sum(entry[unit] for entry in listed.values()) for unit in ("size", "gzip")}
    lock = {"info": _lock_info(), "packages": {}}
    manifest = {"folder": f"{folder}/", **versions, "calc": wheel.name.split("-")[1], "files": listed, **totals,
                "text": show(totals["gzip"], "B"), "lock": lock}
    (work / "out" / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def _lock_info() -> dict:
    return json.loads((PYODIDE / "pyodide-lock.json").read_text(encoding="utf-8"))["info"]


def _versions() -> dict:
    python = _lock_info()["python"]
    host = ".".join(map(str, sys.version_info[:2]))
    if not python.startswith(host + "."):
        raise RuntimeBuildError(f"Pyodide runs Python {python}; its bytecode can't be compiled by {host}: use "
                                f"Python {python.rpartition('.')[0]}")
    pyodide = json.loads((PYODIDE / "package.json").read_text(encoding="utf-8"))["version"]
    return {"python": python, "pyodide": pyodide}


def _run(command: list[str], **options) -> str:
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH), "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environment, **options)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip())[-1500:]
        raise RuntimeBuildError(f"{' '.join(map(str, command[:4]))} failed:\n{said}")
    return done.stdout


def _wheel(work: Path) -> Path:
    """The wheel of `calc`, from a copy of its sources, so that nothing left by an earlier build gets in."""
    source = work / "source"
    for path in _sources():
        copy = source / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    _run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(work / "wheel"), str(source)])
    (wheel,) = (work / "wheel").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        tables = [name for name in archive.namelist() if name.startswith("calc/data/")]
    if not tables or any(name.endswith(".toml") for name in tables):
        raise RuntimeBuildError(f"the wheel must carry the tables as JSON, it carries {tables or 'none'}")
    return wheel


def _probe(stdlib: Path, wheel: Path, extent: str = "full") -> dict:
    script = ROOT / "scripts" / "runtime_probe.mjs"
    return json.loads(_run(["node", str(script), str(PYODIDE), str(stdlib), str(wheel), extent]))


def _trim(full: Path, trimmed: Path, needed: set[str]) -> None:
    with zipfile.ZipFile(full) as source, zipfile.ZipFile(trimmed, "w") as target:
        missing = needed - set(source.namelist())
        if missing:
            raise RuntimeBuildError(f"loaded from the library but not in its archive: {sorted(missing)}")
        for name in sorted(needed):
            target.writestr(name, source.read(name))


def _check_imports(stdlib: Path, builtin: set[str]) -> None:
    """What `calc.web` and the estimators could ever import, in whatever function, must be in the trimmed library."""
    full, kept = _modules(PYODIDE / "python_stdlib.zip"), _modules(stdlib)
    own = {_module_name(path): path for path in sorted((ROOT / "calc").rglob("*.py"))}
    left = ["calc", "calc.web", *(name for name in own if name.startswith("calc.estimators"))]
    seen = set(left)
    while left:
        path = own[left.pop()]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for module in _imported(node, full | own.keys()):
                if module in own:
                    left += [module] if module not in seen else []
                    seen.add(module)
                elif module not in kept | builtin | NEVER_REACHED | {"__future__"}:
                    raise RuntimeBuildError(f"{path.relative_to(ROOT)}:{node.lineno}: {module} is not in the browser's "
                                            "library: no estimator and no error path reached this import")


def _module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _modules(stdlib: Path) -> set[str]:
    with zipfile.ZipFile(stdlib) as archive:
        files = [name.removesuffix(".py") for name in archive.namelist() if name.endswith(".py")]
    return {name.removesuffix("/__init__").replace("/", ".") for name in files}


def _imported(node: ast.AST, known: set[str]) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        inside = [f"{node.module}.{alias.name}" for alias in node.names]
        return [node.module, *(module for module in inside if module in known)]
    return []


def _compiled(archive: Path) -> Path:
    """The archive with bytecode in place of sources, sorted and with one date, so equal input is equal output."""
    folder = archive.parent / f"compiled-{archive.suffix[1:]}"
    folder.mkdir()
    shutil.copyfile(archive, folder / archive.name)
    _run([str(Path(sys.executable).parent / "pyodide"), "py-compile", "--silent", str(folder / archive.name)])
    (made,) = folder.iterdir()
    with zipfile.ZipFile(made) as source:
        entries = {name: source.read(name) for name in sorted(source.namelist()) if not name.endswith("/")}
    with zipfile.ZipFile(made, "w") as target:
        for name, data in entries.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            target.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
    return made


if __name__ == "__main__":
    made = build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "site")
    print(f"runtime/{made['folder']} {made['size']:,} B, {made['gzip']:,} B gzipped")
