# Sourced by run.sh and test.sh: finds a Python that is new enough and makes .venv with it.

fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
    local candidate
    for candidate in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11 python; do
        if [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1 && new_enough "$candidate"; then
            command -v "$candidate"
            return
        fi
    done
    fail "Python 3.11 or newer is needed and was not found (python3 is" \
        "$(python3 --version 2>/dev/null || echo missing));" \
        "install it, or name one: PYTHON=/path/to/python3.11 $0"
}

# make_venv WHAT: .venv with `pip install -e WHAT`, quietly, and only when something changed.
make_venv() {
    local what="$1" python stamp
    if [ -e .venv/bin/python ] && ! new_enough .venv/bin/python; then
        fail ".venv was made with a Python that is gone or older than 3.11; delete it: rm -r .venv"
    fi
    if [ ! -x .venv/bin/python ]; then
        python="$(find_python)"
        echo "making .venv with $("$python" --version)"
        "$python" -m venv .venv || {
            rm -rf .venv
            fail "cannot make .venv; on Debian and Ubuntu: apt install python3-venv"
        }
    fi
    stamp="$what $(cksum < pyproject.toml)"
    if ! grep -qxF "$stamp" .venv/installed 2>/dev/null; then
        echo "installing (the first time takes a minute)"
        .venv/bin/python -m pip install --quiet --quiet --disable-pip-version-check --editable "$what" \
            || fail "the installation failed; the lines above say why"
        echo "$stamp" >> .venv/installed
    fi
}
