"""Setting up: the locks, the wheel, and the choice of a Python and of a browser."""

import json
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tomllib
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

from scripts import setup_browser

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
NPM = json.loads((ROOT / "package.json").read_text())
NPM_LOCK = json.loads((ROOT / "package-lock.json").read_text())
LOCKS = {"book": "requirements.txt", "calc-test": "requirements-calc.txt"}


def requirements(lock: str) -> dict[str, str]:
    """Name -> text of each requirement of a lock file, comments left out."""
    lines = [line for line in (ROOT / lock).read_text().splitlines() if not line.lstrip().startswith("#")]
    entries = re.split(r"\n(?=\S)", "\n".join(lines).strip())
    return {re.match(r"[A-Za-z0-9._-]+", entry)[0].lower(): entry for entry in entries}


def declared(group: str) -> list[str]:
    """Names of the packages that a dependency group of pyproject.toml asks for."""
    names = []
    for item in PROJECT["dependency-groups"][group]:
        names += declared(item["include-group"]) if isinstance(item, dict) else [re.match(r"[\w.-]+", item)[0].lower()]
    return names


def script(path: Path, body: str) -> str:
    """An executable shell script at `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("lock", LOCKS.values())
def test_lock_pins_and_hashes(lock):
    """Every package of a Python lock is pinned and hashed, and no line names where to fetch it."""
    for name, entry in requirements(lock).items():
        assert re.match(r"\S+==\S", entry), f"{name} is not pinned"
        assert "--hash=sha256:" in entry, f"{name} has no hash"
        assert "://" not in entry and "index-url" not in entry, f"{name} names an address"


@pytest.mark.parametrize("group, lock", LOCKS.items())
def test_lock_holds_what_is_declared(group, lock):
    """A package that pyproject.toml declares is in the lock, the build backend included."""
    locked = requirements(lock)
    backend = re.match(r"[\w.-]+", PROJECT["build-system"]["requires"][0])[0]
    missing = [name for name in [*declared(group), backend] if name not in locked]
    assert not missing


def test_npm_lock_is_exact_and_names_no_registry():
    """package.json pins exact versions, the lock has the same ones with a checksum each, and no download address."""
    for kind in ("dependencies", "devDependencies"):
        for name, wanted in NPM[kind].items():
            assert re.fullmatch(r"\d+\.\d+\.\d+", wanted), f"{name}: {wanted} is a range"
            assert NPM_LOCK["packages"][f"node_modules/{name}"]["version"] == wanted
    for path, entry in NPM_LOCK["packages"].items():
        assert "resolved" not in entry, path
        assert not path or "integrity" in entry, path


def test_installed_npm_packages_are_the_locked_ones():
    """The packages in node_modules, the browser's Python among them, have the versions of the lock."""
    for path, entry in NPM_LOCK["packages"].items():
        if path:
            installed = json.loads((ROOT / path / "package.json").read_text())["version"]
            assert installed == entry["version"], f"{path}: run make setup"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> zipfile.ZipFile:
    """The wheel, built without isolation from a copy in which an earlier build left a module behind."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "calc", folder / "calc", ignore=shutil.ignore_patterns("__pycache__"))
    stale = folder / "build" / "lib" / "calc" / "deleted_long_ago.py"
    stale.parent.mkdir(parents=True)
    stale.write_text("")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = (folder / "dist").glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive


def test_wheel_holds_the_package_and_nothing_else(wheel):
    """The wheel holds every module of the source tree, none that was deleted, and nothing outside calc."""
    sources = {str(path.relative_to(ROOT)) for path in (ROOT / "calc").rglob("*.py")}
    inside = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert {name for name in inside if name.endswith(".py")} == sources
    assert all(name.startswith("calc/") for name in inside)


def test_wheel_carries_the_tables_as_json(wheel):
    """Each table is in the wheel as JSON equal to its TOML, and no TOML is."""
    tables = sorted((ROOT / "calc" / "data").glob("*.toml"))
    assert tables
    for table in tables:
        assert json.loads(wheel.read(f"calc/data/{table.stem}.json")) == tomllib.loads(table.read_text())
    assert not [name for name in wheel.namelist() if name.endswith(".toml")]


def test_wheel_needs_nothing(wheel):
    """Installing the wheel installs no other package, and gives the command `calc`."""
    (metadata,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    assert HeaderParser().parsestr(wheel.read(metadata).decode()).get_all("Requires-Dist") is None
    entry_points = wheel.read(metadata.replace("METADATA", "entry_points.txt")).decode()
    assert "calc = calc.cli:main" in entry_points


FAKE_PYTHON = """case "$1" in
  --version) echo "Python {version}" ;;
  -m) echo "$0 $*" > made ;;
esac"""


def make_venv(folder: Path, path: list[Path], **variables: str) -> subprocess.CompletedProcess:
    """Runs a copy of the script that makes .venv, with a PATH of stand-ins before the system's own tools."""
    (folder / "scripts").mkdir(exist_ok=True)
    shutil.copy(ROOT / "scripts" / "setup_python.sh", folder / "scripts")
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    for name in ("dirname", "sh"):
        if not (tools / name).exists():
            (tools / name).symlink_to(shutil.which(name))
    environment = {"PATH": ":".join(map(str, [*path, tools])), **variables}
    command = ["/bin/sh", str(folder / "scripts" / "setup_python.sh")]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_python_is_the_first_that_starts_and_says_3_13(tmp_path):
    """A python3.13 that does not start and a python3 of another version are passed over, and what is taken is said."""
    script(tmp_path / "a" / "python3.13", "exit 127")
    script(tmp_path / "a" / "python3", FAKE_PYTHON.format(version="3.11.7"))
    good = script(tmp_path / "b" / "python3", FAKE_PYTHON.format(version="3.13.9"))
    done = make_venv(tmp_path, [tmp_path / "a", tmp_path / "b"])
    assert done.returncode == 0, done.stderr
    assert f"Python 3.13.9 at {good}" in done.stdout
    assert (tmp_path / "made").read_text() == f"{good} -m venv --clear .venv\n"


def test_missing_python_gets_one_line(tmp_path):
    """Without a Python 3.13 the set-up stops with one line that says what is needed."""
    script(tmp_path / "a" / "python3", FAKE_PYTHON.format(version="3.12.1"))
    done = make_venv(tmp_path, [tmp_path / "a"])
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1 and "Python 3.13 is needed" in done.stderr


def test_old_node_gets_one_line(tmp_path):
    """A Node.js older than 20 stops the set-up with one line that says what was found."""
    script(tmp_path / "node", "echo v18.19.0")
    (tmp_path / "dirname").symlink_to(shutil.which("dirname"))
    command = ["/bin/sh", str(ROOT / "scripts" / "setup_node.sh")]
    done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "[setup] Node.js 20 or newer is needed: found v18.19.0\n"


def test_browser_that_does_not_start_is_passed_over(tmp_path, monkeypatch):
    """The browser taken is the first on PATH that starts, or the one that CHROMIUM names."""
    script(tmp_path / "a" / "chromium", "exit 1")
    good = script(tmp_path / "b" / "google-chrome", "echo Google Chrome 150")
    other = script(tmp_path / "c" / "mine", "echo Chromium 151")
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path / 'a'}:{tmp_path / 'b'}")
    assert setup_browser.find() == good
    monkeypatch.setenv("CHROMIUM", other)
    assert setup_browser.find() == other
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "nowhere"))
    assert setup_browser.find() is None


def blocks(page: str, language: str) -> str:
    """The code of a project page's blocks in one language, joined."""
    return "\n".join(re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(), re.S | re.M))


COMMANDS = [line for line in blocks("README.md", "sh").splitlines() if line.startswith("python -m calc ")]


@pytest.mark.parametrize("command", COMMANDS)
def test_readme_command_answers(command):
    """Each command of the README exits 0 and prints something."""
    words = [sys.executable, *shlex.split(command)[1:]]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_readme_python_runs(capsys):
    """The README's Python prints the ledger, an answer in two ways, a limit that fails, and a catalogue number with its source."""
    assert COMMANDS
    exec(compile(blocks("README.md", "python"), "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "Step time" in printed and "False [<Limit Fits: " in printed and "does not fit" in printed
    assert printed.strip().endswith("32 (Llama-3.1-8B layers; hf-config-llama-3.1-8b: layers)")


def test_a_taken_port_is_one_line_with_the_way_out():
    """A port that is taken is one line that says how to serve another, and make hands the port through."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        code = "import pathlib, sys, tempfile; from scripts import serve; d = tempfile.mkdtemp(); " \
               "pathlib.Path(d, 'index.html').write_text('x'); sys.argv = ['serve', d, '--port', sys.argv[1]]; serve.main()"
        done = subprocess.run([sys.executable, "-c", code, port], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert f"port {port} can't be served" in done.stderr and "make serve PORT=8001" in done.stderr
    assert "--port $(PORT)" in (ROOT / "Makefile").read_text()


def test_contributing_estimator_answers():
    """The estimator that CONTRIBUTING.md shows is declared as it should be: 64 MiB at 63 GB/s take 1.065 ms."""
    from calc import estimator

    before = set(estimator.REGISTRY)
    try:
        exec(compile(blocks("CONTRIBUTING.md", "python"), "CONTRIBUTING.md", "exec"), {})
        (made,) = set(estimator.REGISTRY) - before
        answer = estimator.REGISTRY[made](link="pcie5-x16", message="64 MiB")
        assert answer.answer.to("ms") == pytest.approx(64 * 2**20 / 63e9 * 1e3, rel=1e-3)
    finally:
        for name in set(estimator.REGISTRY) - before:
            del estimator.REGISTRY[name]
