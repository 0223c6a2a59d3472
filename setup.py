"""The one step of the wheel that pyproject.toml cannot declare: the tables travel as JSON.

In a browser `tomllib` costs a tenth of a second and more, `json` a few milliseconds, so a wheel carries `*.json`
in place of the `*.toml` of calc/data. An editable install reads the source tree and is left alone.
"""

import json
import shutil
import tomllib
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithJsonTables(build_py):
    def run(self):
        if not self.editable_mode:
            # What an earlier build left here, a module since deleted for one, would go into the wheel.
            shutil.rmtree(Path(self.build_lib, "calc"), ignore_errors=True)
        super().run()
        if self.editable_mode:
            return
        for table in sorted(Path(self.build_lib, "calc", "data").glob("*.toml")):
            with table.open("rb") as source:
                records = tomllib.load(source)
            text = json.dumps(records, ensure_ascii=False, separators=(",", ":"))
            table.with_suffix(".json").write_text(text, encoding="utf-8")
            table.unlink()


setup(cmdclass={"build_py": BuildWithJsonTables})
