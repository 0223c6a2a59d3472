#!/bin/sh
# Installs the npm packages of package-lock.json with a Node.js that is new enough.
set -u
cd "$(dirname "$0")/.." || exit 1
said=$(node --version 2>/dev/null) || said=
major=${said#v}; major=${major%%.*}
if [ -z "$major" ] || [ "$major" -lt 20 ]; then
    echo "[setup] Node.js 20 or newer is needed: found ${said:-none}" >&2
    exit 1
fi
if ! npm --version >/dev/null 2>&1; then
    echo "[setup] npm is needed: node $said is there, npm is not" >&2
    exit 1
fi
echo "[setup] Node.js $said: installing the npm packages"
npm ci --no-audit --no-fund --loglevel=error
