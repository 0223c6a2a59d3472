#!/bin/sh
# Makes .venv with Python 3.13. A name on PATH need not start (version managers leave such names behind),
# so every candidate is run, here in the repository, and the first that says 3.13 is taken.
set -u
cd "$(dirname "$0")/.." || exit 1

try() {
    said=$("$1" --version 2>/dev/null) || return 1
    case "$said" in "Python 3.13."*) ;; *) return 1 ;; esac
    echo "[setup] $said at $1"
    if ! "$1" -c "import ensurepip, venv" 2>/dev/null; then
        echo "[setup] $1 cannot make virtual environments: install its venv package (on Debian python3.13-venv)" >&2
        exit 1
    fi
    "$1" -m venv --clear .venv && exit 0
    exit 1
}

if [ -n "${PYTHON:-}" ]; then try "$PYTHON"; fi
for name in python3.13 python3; do
    old=$IFS; IFS=:
    for folder in $PATH; do
        IFS=$old
        if [ -x "$folder/$name" ]; then try "$folder/$name"; fi
    done
    IFS=$old
done
echo "[setup] Python 3.13 is needed and was not found: install it, or name it with PYTHON=/path/to/python3.13" >&2
exit 1
