#!/usr/bin/env bash
# From a fresh clone to a first search: makes .venv, starts the daemon, indexes a repository.
#
#   contrib/run.sh [REPO]     default: this repository
#
# Needs Python 3.11 or newer and git. Can be run again at any time.
set -euo pipefail
here="$(cd "$(dirname "$0")/.." && pwd)"
repo="$(cd "${1:-$here}" 2>/dev/null && pwd)" || { echo "error: no such directory: $1" >&2; exit 66; }
cd "$here"
. contrib/python.sh

paparats() { "$here/.venv/bin/paparats" "$@"; }
read_json() { "$here/.venv/bin/python" -c "import json, sys; answer = json.load(sys.stdin); $1" "${@:2}"; }

# registered_name DIRECTORY: the name of the project there, or nothing.
registered_name() {
    paparats list --json | read_json '
print(*[p["name"] for p in answer["projects"] if p["root"] == sys.argv[1]][:1])' "$1"
}

# index DIRECTORY: register it and wait until it is ready; sets `name`.
index() {
    name="$(registered_name "$1")"
    if [ -n "$name" ]; then
        echo "$1 is registered as $name"
        paparats reindex "$name" --wait
    elif ! paparats add "$1" --wait; then
        # The usual reason: another checkout has the name already.
        name="$(basename "$1")-$(printf %s "$1" | cksum | cut -c 1-5)"
        echo "trying again as $name"
        paparats add "$1" --name "$name" --wait
    fi
    name="$(registered_name "$1")"
}

command -v git >/dev/null 2>&1 || fail "git is needed and was not found"
make_venv "."
paparats up
index "$repo"

question="Where does the program start?"
[ "$repo" != "$here" ] || question="How is a changed file noticed?"
printf '\n$ paparats search %q -p %s\n' "$question" "$name"
paparats search "$question" -p "$name" -n 3

url="$(paparats status --json | read_json 'print(answer["http"].rstrip("/") + "/mcp")')"
cat <<END

Connect an agent:
  MCP over HTTP   $url
  Claude Code     claude mcp add --transport http paparats $url
  MCP over stdio  $here/.venv/bin/paparats mcp

Go on:
  $here/.venv/bin/paparats add PATH           index another repository
  $here/.venv/bin/paparats search "..."       search all of them
  $here/.venv/bin/paparats service install    start with the session (systemd)
  $here/.venv/bin/paparats down               stop the daemon
END
