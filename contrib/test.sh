#!/usr/bin/env bash
# Makes .venv, installs the project with what its tests need, and runs every check.
set -euo pipefail
cd "$(dirname "$0")/.."
. contrib/python.sh

command -v git >/dev/null 2>&1 || fail "git is needed and was not found"
make_venv ".[test]"
PYTHON=.venv/bin/python contrib/check "$@"
