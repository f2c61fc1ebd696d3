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

# hooks_note DIRECTORY: say which git hooks are there, and how to take them out.
hooks_note() {
    paparats hooks status "$1" --json 2>/dev/null | read_json '
if answer["state"] in ("installed", "partial"):
    print("\nGit hooks of paparats are in", answer["directory"] + "; hooks of yours run first, as before.")
    print("Take them out with:", *sys.argv[1:])' \
        "$here/.venv/bin/paparats" hooks uninstall "$(printf %q "$1")" || true
}

kinds=(--kind function --kind method --kind class)

# best_question QUESTION...: the one that this project answers best.
best_question() {
    local question
    for question; do
        paparats search "$question" -p "$name" -n 1 "${kinds[@]}" --json
    done | "$here/.venv/bin/python" -c '
import json, sys
answers = [json.loads(line) for line in sys.stdin]
score = lambda answer: max((hit["score"] for hit in answer["results"]), default=0.0)
print(max(answers, key=score)["query"])'
}

# shortened: of each hit only the first lines of code.
shortened() {
    "$here/.venv/bin/python" -c '
import re, sys
lines = 0
for line in sys.stdin:
    lines = lines + 1 if re.match(r" *[0-9]+ [|]", line) else 1
    if lines <= 20:
        print(line, end="")
    elif lines == 21:
        print("     ...")'
}

hooks_note "$repo"

if [ "$repo" = "$here" ]; then
    question="refuse a request whose Host header is not allowed"
else
    # Something that nearly every program does.
    question="$(best_question "how are errors handled" "parse the arguments" \
        "read the configuration" "write to the log")"
fi
printf '\n$ paparats search "%s" -p %s -n 1 %s\n' "$question" "$name" "${kinds[*]}"
paparats search "$question" -p "$name" -n 1 "${kinds[@]}" | shortened

url="$(paparats status --json | read_json 'print(answer["http"].rstrip("/") + "/mcp")')"
cat <<END

Connect an agent:
  MCP over HTTP   $url
  Claude Code     claude mcp add --transport http paparats $url
  MCP over stdio  $here/.venv/bin/paparats mcp

Go on (the command paparats is in $here/.venv/bin):
  $here/.venv/bin/paparats add PATH           index another repository
  $here/.venv/bin/paparats search "..."       search all of them
  $here/.venv/bin/paparats service install    start with the session (systemd)
  $here/.venv/bin/paparats down               stop the daemon
END
