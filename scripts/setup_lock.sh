#!/bin/sh
# Resolves pyproject.toml's dependency groups into the two hashed lock files, and package.json into its lock.
# No lock names an index, so each installs from whichever registry the machine is set up to use.
set -eu
cd "$(dirname "$0")/.."
mkdir -p .cache
.venv/bin/python -m venv .cache/lock
.cache/lock/bin/python -m pip install -q --disable-pip-version-check uv==0.13.9
resolve() {
    echo "[lock] $3"
    .cache/lock/bin/uv pip compile pyproject.toml --group "$1" --python-version "$2" --output-file "$3" --quiet \
        --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links ${UPGRADE:+--upgrade}
}
resolve book 3.13 requirements.txt
resolve calc-test 3.11 requirements-calc.txt
echo "[lock] package-lock.json"
npm install --package-lock-only --omit-lockfile-registry-resolved --no-audit --no-fund --loglevel=error
if grep -q '"resolved"' package-lock.json; then
    echo "[lock] package-lock.json names a registry" >&2
    exit 1
fi
