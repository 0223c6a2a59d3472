"""Draws every chapter's figures into docs/assets/figures/. With --check, fails when a committed file is stale."""

import argparse
import importlib
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TARGET = HERE.parents[1] / "docs" / "assets" / "figures"


def figures():
    """Every figure of every chNN.py beside this file, in the order of its FIGURES."""
    for file in sorted(HERE.glob("ch[0-9][0-9].py")):
        for draw in importlib.import_module(file.stem).FIGURES:
            yield draw()


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; name what is missing, stale or left over")
    check = parser.parse_args(arguments).check
    wanted = {TARGET / figure.chapter / f"{figure.name}.svg": figure.svg() for figure in figures()}
    stale = [path for path, svg in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != svg]
    left_over = sorted(set(TARGET.rglob("*.svg")) - set(wanted))
    if check:
        for path in (*stale, *left_over):
            print(f"{path.relative_to(TARGET.parents[2])}: {'is left over' if path in left_over else 'is stale'}; "
                  "run python scripts/figures/build.py")
        return 1 if stale or left_over else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8")
    for path in left_over:
        path.unlink()
    print(f"{len(wanted)} figures, {len(stale)} written, {len(left_over)} removed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
