"""The shape of the package: who may import whom, and what starting it costs."""

import ast
import pathlib
import subprocess
import sys

import pytest

CALC = pathlib.Path(__file__).resolve().parents[2] / "calc"
FILES = sorted(CALC.rglob("*.py"))
# A module may import only from its own rank or lower ones.
RANKS = [
    ("units",), ("quantity",), ("inputs", "format"), ("estimator", "explain"), ("catalog",), ("parts", "config"), ("what_if", "report", "forward", "memory"),
    ("estimators",), ("render", "output"), ("model_commands",), ("web", "site", "cli"), ("__main__",),
]


def rank(name):
    """The rank of a dotted module name below calc."""
    first = name.split(".")[0]
    return next((i for i, names in enumerate(RANKS) if first in names), None)


def imports(path):
    """Dotted names below calc that a file imports at its top level (late imports may look up)."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "calc":
            below = node.module[5:]
            yield from [below] if below else [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from (alias.name[5:] for alias in node.names if alias.name.startswith("calc."))


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(CALC)))
def test_imports_go_downwards(path):
    """No module imports one above it, and none imports an estimator by name."""
    own = ".".join(path.relative_to(CALC).with_suffix("").parts).removesuffix(".__init__")
    if own == "__init__":
        return
    assert rank(own) is not None, f"calc.{own} has no rank: add it to RANKS"
    for name in imports(path):
        if name in ("__version__",):
            continue
        assert rank(name) is not None and rank(name) <= rank(own), f"calc.{own} imports calc.{name}"
        if not own.startswith("estimators"):
            assert not name.startswith("estimators"), f"calc.{own} imports an estimator by name"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(CALC)))
def test_only_the_standard_library(path):
    """calc depends on nothing, except calc.site on what MkDocs brings."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            top = name.split(".")[0]
            allowed = top in sys.stdlib_module_names or top == "calc" or (path.name == "site.py" and top in ("pymdownx", "mkdocs", "markdown"))
            assert allowed, f"{path.name} imports {name}"


def test_importing_the_package_imports_no_estimator():
    """`import calc` stays light: an estimator is loaded when it is asked for."""
    code = "import sys, calc; print([m for m in sys.modules if m.startswith('calc.')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_asking_for_one_estimator_imports_only_that_one():
    """`calc.show` imports the one file that it needs."""
    code = "import sys, calc; calc.show('decode-step'); print(sum(m.startswith('calc.estimators.ch') and m.count('.') == 3 for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "1"


def public(tree):
    """Public functions and classes of a module, and methods of its public classes; not what is nested in functions."""
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from (m for m in node.body if isinstance(m, ast.FunctionDef) and not m.name.startswith("_"))


@pytest.mark.parametrize("path", [p for p in FILES if "estimators" not in p.parts], ids=lambda p: str(p.relative_to(CALC)))
def test_public_functions_have_docstrings(path):
    """Every module and every public function and class says what it means."""
    tree = ast.parse(path.read_text())
    bare = [f"line {n.lineno}: {n.name}" for n in public(tree) if not ast.get_docstring(n) and not n.name.endswith("_command")]
    assert ast.get_docstring(tree) and not bare, "; ".join(bare)
