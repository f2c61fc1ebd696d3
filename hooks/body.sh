# The part that all hooks share. It writes one small file into each registered spool directory and
# ends with the exit code of the hook that was here before it, 0 without one. It starts no process
# of its own, prints nothing and waits for nothing. PAPARATS_SKIP=1 turns it off.

set +eu

# The shell reads byte by byte, about 0.1 ms a pair; above this the reflog tells.
max_pairs=500
pairs= count=0 last=end

read_pairs() {
    while [ "$count" -lt "$max_pairs" ] && IFS= read -r line; do
        pairs="$pairs$line
"
        count=$((count + 1))
    done
    [ "$count" -lt "$max_pairs" ] || last=more
}

give_pairs() {
    printf '%s' "$pairs"
    [ "$last" = end ] || while IFS= read -r line; do printf '%s\n' "$line"; done
} 2>/dev/null

write_event() {
    printf 'paparats 1\0%s\0%s\0%s\0%s\0' "$kind" "$PWD" "${GIT_DIR:-}" "$#"
    [ "$#" -eq 0 ] || printf '%s\0' "$@"
    # Written last: a file without it is not finished.
    printf '%s\0%s\0' "$pairs" "$last"
}

spool() {
    directory=$1
    shift
    [ -d "$directory" ] || return 0
    # A name that is taken belongs to an older process of the same number.
    for number in 0 1 2 3; do
        file="$directory/$$.$number.$kind"
        if [ ! -e "$file" ]; then
            { write_event "$@" > "$file"; } 2>/dev/null
            return 0
        fi
    done
}

code=0
if [ "${PAPARATS_SKIP:-}" = 1 ]; then
    ! has_chained || { chained "$@"; code=$?; }
    exit "$code"
fi
[ "$kind" != post-rewrite ] || read_pairs
if has_chained; then
    if [ "$kind" = post-rewrite ]; then
        give_pairs | chained "$@"
    else
        chained "$@"
    fi
    code=$?
fi
umask 077
set -C
tell "$@"
exit "$code"
