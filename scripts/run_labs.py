"""Run the labs and record what they print: `python scripts/run_labs.py [NOTEBOOK ...]` (default: all of docs/labs).

The recorded notebooks are what the site shows. Only what a reader wants is kept: the kernel's warnings, timings and
per-run identifiers are dropped, so that a second run changes nothing but the numbers that were measured.
"""

import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
LABS = ROOT / "docs" / "labs"
TIMEOUT = 120  # seconds for one cell; a lab is written to take less than a minute in all
METADATA = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}


def run(path):
    """(executed notebook, seconds) of the lab at `path`; CellExecutionError when a cell fails."""
    notebook = nbformat.read(path, as_version=4)
    start = time.perf_counter()
    NotebookClient(notebook, timeout=TIMEOUT, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}).execute()
    return tidy(notebook), time.perf_counter() - start


def tidy(notebook):
    """The notebook with one stream per cell and nothing that differs from run to run but results."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for place, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{place}"
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [o for o in cell.outputs if o.get("name") != "stderr"]
            printed = "".join(o["text"] for o in cell.outputs if o.output_type == "stream")
            kept = [o for o in cell.outputs if o.output_type != "stream"]
            cell.outputs = ([nbformat.v4.new_output("stream", name="stdout", text=printed)] if printed else []) + kept
    return notebook


def main(paths):
    """Run and record the given labs."""
    for path in [Path(p) for p in paths] or sorted(LABS.glob("*.ipynb")):
        notebook, seconds = run(path)
        nbformat.write(notebook, path)
        print(f"{path.name}: {seconds:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
