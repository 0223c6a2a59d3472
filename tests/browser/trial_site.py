"""A small book of the widget's tests, built with the project's own settings: pages that hold each kind of widget."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

HOME = """# Trial

The word xylophone stands on this page and on no other.

```estimate
id: decode-step
batch: 64
sweep: batch
```

A batch of `#!calc scrub decode-step.batch batch=64` takes `#!calc live decode-step batch=64 -> step_time` here.

[to the second page](second.md)
"""

SECOND = """# Second

## A question

```estimate
id: batch-crossover
sweep: context 16 to 400
ask: At which batch does decode stop waiting for memory?
```

[to the first page](index.md)
"""

THIRD = """# Third

```estimate
id: decode-step
as: pinned-step
pin: batch=64
accelerator: a100-sxm-80gb
```

```estimate
id: does-it-fit
```
"""

CALIBRATION = ROOT / "docs" / "calibration.md"


def many():
    """A page with a dozen widgets."""
    from calc import estimator

    names = estimator.ids()
    fences = [f"```estimate\nid: {names[n % len(names)]}\nas: w{n}\n```\n" for n in range(12)]
    return "# Many\n\n" + "\n".join(fences)


SETTINGS = """
INHERIT: {root}/mkdocs.yml
docs_dir: {folder}/docs
site_dir: {folder}/site
theme:
  custom_dir: {root}/overrides
hooks: [{root}/scripts/site_hooks.py]
extra: {{reference: false, runtime: {runtime}}}
nav:
  - Trial: index.md
  - Second: second.md
  - Third: third.md
  - Many: many.md
  - Calibration: calibration.md
"""


def build(folder, port, runtime=True):
    """Build the trial book into `folder`/site for http://127.0.0.1:PORT/ai-infra/ and return that folder."""
    docs = folder / "docs"
    docs.mkdir(parents=True, exist_ok=True)
    pages = {"index.md": HOME, "second.md": SECOND, "third.md": THIRD, "many.md": many(), "calibration.md": CALIBRATION.read_text()}
    for name, text in pages.items():
        (docs / name).write_text(text, encoding="utf-8")
    if not (docs / "assets").exists():
        (docs / "assets").mkdir()
        for file in (ROOT / "docs" / "assets").iterdir():
            if file.is_file():
                (docs / "assets" / file.name).symlink_to(file)
    (folder / "mkdocs.yml").write_text(SETTINGS.format(root=ROOT, folder=folder, runtime=str(runtime).lower()), encoding="utf-8")
    environment = {**os.environ, "SITE_URL": f"http://127.0.0.1:{port}/ai-infra/", "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(folder / "mkdocs.yml")],
                          cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the trial book does not build:\n{done.stdout}\n{done.stderr}")
    return folder / "site"


if __name__ == "__main__":
    print(build(Path(sys.argv[1]), int(sys.argv[2]), runtime="fast" not in sys.argv))
