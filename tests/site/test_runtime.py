"""The browser's Python as it is built into the site."""

import gzip
import json
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from scripts import build_runtime

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def runtime(site_dir):
    return site_dir / "runtime"


@pytest.fixture(scope="module")
def manifest(runtime):
    return json.loads((runtime / "manifest.json").read_text())


def test_manifest_lists_what_is_served(runtime, manifest):
    """The manifest's names and sizes are those of the files in the one folder it names."""
    assert sorted(path.name for path in runtime.iterdir()) == sorted([manifest["folder"].rstrip("/"), "manifest.json"])
    files = {entry["name"]: entry for entry in manifest["files"].values()}
    served = {path.name: path.read_bytes() for path in (runtime / manifest["folder"]).iterdir()}
    assert files.keys() == served.keys()
    for name, data in served.items():
        assert files[name]["size"] == len(data)
        assert files[name]["gzip"] == len(gzip.compress(data, 6, mtime=0))
    assert manifest["gzip"] == sum(entry["gzip"] for entry in files.values())


def test_versions_are_the_pinned_ones(manifest):
    """Pyodide is the version of package-lock.json, and its Python is the minor version that compiled the bytecode."""
    pinned = json.loads((ROOT / "package-lock.json").read_text())["packages"]["node_modules/pyodide"]["version"]
    assert manifest["pyodide"] == pinned
    assert manifest["python"].split(".")[:2] == [str(part) for part in sys.version_info[:2]]
    assert manifest["lock"]["info"]["python"] == manifest["python"] and manifest["lock"]["packages"] == {}


def test_runtime_is_smaller_than_stock(manifest):
    """What a reader fetches, gzipped, is under 5 MB, and the library under half of the stock one's size."""
    assert manifest["gzip"] < 5_000_000
    stock = (ROOT / "node_modules" / "pyodide" / "python_stdlib.zip").stat().st_size
    assert manifest["files"]["stdlib"]["size"] < 0.55 * stock


def test_only_bytecode_and_json_travel(runtime, manifest):
    """The archives hold bytecode and JSON tables: no source to compile, no TOML to parse in the browser."""
    names = []
    for role in ("stdlib", "wheel"):
        with zipfile.ZipFile(runtime / manifest["folder"] / manifest["files"][role]["name"]) as archive:
            names += archive.namelist()
            assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert not [name for name in names if name.endswith((".py", ".toml"))]
    assert "calc/web.pyc" in names and "calc/data/models.json" in names and "json/decoder.pyc" in names
    assert not [name for name in names if name.startswith(("tomllib", "importlib/metadata", "unittest", "sqlite3"))]


def test_the_folder_is_named_by_its_content(runtime, manifest, tmp_path, monkeypatch):
    """The same sources and modules, compiled and packed again at another time, give the same folder and manifest."""
    with zipfile.ZipFile(runtime / manifest["folder"] / manifest["files"]["stdlib"]["name"]) as archive:
        files = [build_runtime.STDLIB_IN_PYODIDE + name.removesuffix("c") for name in archive.namelist()]
    monkeypatch.setattr(build_runtime, "_probe", lambda *given: {"files": files, "builtin": [], "answers": {}})
    monkeypatch.setattr(build_runtime, "_check_imports", lambda *given: None)
    monkeypatch.setattr(build_runtime, "CACHE", tmp_path / "cache")
    assert build_runtime.build(tmp_path / "site") == manifest


def test_unchanged_sources_are_not_built_again(tmp_path, monkeypatch, runtime):
    """With a filled cache the runtime is copied, not made."""
    def refuse(work):
        raise AssertionError("built again")

    build_runtime.build(tmp_path / "first")
    monkeypatch.setattr(build_runtime, "_make", refuse)
    build_runtime.build(tmp_path / "second")


@pytest.mark.parametrize("line", ["import sqlite3", "from xml.dom import minidom", "from importlib import metadata"])
def test_an_import_outside_the_library_fails_the_build(runtime, manifest, tmp_path, monkeypatch, line):
    """A module that no estimator and no error path reaches is refused by file and line, even inside a function."""
    shutil.copytree(ROOT / "calc", tmp_path / "calc")
    with (tmp_path / "calc" / "units.py").open("a") as file:
        file.write(f"\n\ndef never_called():\n    {line}\n")
    monkeypatch.setattr(build_runtime, "ROOT", tmp_path)
    stdlib = tmp_path / "stdlib.zip"
    names = runtime / manifest["folder"] / manifest["files"]["stdlib"]["name"]
    with zipfile.ZipFile(names) as source, zipfile.ZipFile(stdlib, "w") as target:
        for name in source.namelist():
            target.writestr(name.replace(".pyc", ".py"), b"")
    frozen = {"os", "sys", "importlib", "math", "itertools", "time"}
    with pytest.raises(build_runtime.RuntimeBuildError, match=r"calc/units.py:\d+: "):
        build_runtime._check_imports(stdlib, frozen | set(sys.builtin_module_names))


def test_another_minor_version_is_refused(monkeypatch):
    """Bytecode of another Python would not run in the browser, so the build says which Python it needs."""
    monkeypatch.setattr(build_runtime, "_lock_info", lambda: {"python": "3.14.1"})
    with pytest.raises(build_runtime.RuntimeBuildError, match=r"use Python 3\.14"):
        build_runtime._versions()
