"""Finds the Chromium that the browser tests drive, and installs one when there is none.

`find()` is the one place that knows where a browser may be; the tests use it too. Run as a script it prints which
browser was taken, or installs Debian's package when none is found.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ELSEWHERE = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
)


def find() -> str | None:
    """Path of a browser that starts, or None. The environment variable CHROMIUM names one to prefer."""
    named = os.environ.get("CHROMIUM")
    candidates = [named] if named else [*filter(None, map(shutil.which, NAMES)), *filter(os.path.exists, ELSEWHERE)]
    for candidate in candidates:
        if version(candidate):
            return candidate
    return None


def version(path: str) -> str:
    """What the browser says of itself, or the empty string when it does not start."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def install() -> None:
    """Installs Debian's chromium, with sudo when not root. Raises SystemExit with one line when that cannot be done."""
    if not shutil.which("apt-get"):
        raise SystemExit("[setup] the browser tests need Chromium or Chrome: install one, or set CHROMIUM to its path")
    first = [] if os.geteuid() == 0 else ["sudo"]
    log = Path(".cache/apt.log")
    log.parent.mkdir(exist_ok=True)
    print("[setup] no Chromium or Chrome found: apt-get install chromium (a minute or two)", flush=True)
    with log.open("w") as out:
        for step in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
            command = [*first, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", *step]
            if subprocess.run(command, stdout=out, stderr=subprocess.STDOUT).returncode:
                raise SystemExit(f"[setup] '{' '.join(command)}' failed; its output is in {log}")


def main() -> int:
    if not find():
        install()
    path = find()
    if not path:
        print("[setup] no browser starts: set CHROMIUM to the path of a Chromium or Chrome", file=sys.stderr)
        return 1
    print(f"[setup] browser: {path} ({version(path)})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
