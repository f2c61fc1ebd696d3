# Completions of paparats for bash. Load with: source <(paparats completions bash)

_paparats_words() {
    COMPREPLY=($(compgen -W "$1" -- "$current"))
}

# An address: the project's name and a colon, then a path below its directory. The shell counts
# the colon as a word of its own and replaces only what is behind it.
_paparats_address() {
    local text=${COMP_LINE:0:COMP_POINT} project path root index
    text=${text##*[[:space:]\'\"]}
    if [[ $text != *:* ]]; then
        compopt -o nospace
        COMPREPLY=($(compgen -S : -W "$(paparats list --names 2>/dev/null)" -- "$text"))
        return
    fi
    project=${text%%:*} path=${text#*:}
    root=$(paparats list --roots 2>/dev/null | while IFS=$'\t' read -r name place; do
        [[ $name != "$project" ]] || printf '%s' "$place"
    done)
    [[ -n $root && $path != *[#:]* ]] || return
    compopt -o nospace
    mapfile -t COMPREPLY < <(compgen -f -- "$root/$path")
    for index in "${!COMPREPLY[@]}"; do
        path=${COMPREPLY[index]}
        [[ ! -d $path ]] || path+=/
        path=${path#"$root"/}
        [[ $COMP_WORDBREAKS == *:* ]] || path=$project:$path
        COMPREPLY[index]=$(printf %q "$path")
    done
}

_paparats() {
    local current previous command word index
    current=${COMP_WORDS[COMP_CWORD]}
    previous=${COMP_WORDS[COMP_CWORD - 1]}
    command=
    for ((index = 1; index < COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        case $word in
            --config-dir | --state-dir | --cache-dir | --runtime-dir | --data-dir) ((index++)) ;;
            -*) ;;
            *) command=$word; break ;;
        esac
    done
    # A verb of term or arch, and the kind of a card, follow at once.
    while [[ $command == @(term|arch|"arch record") ]] && ((++index < COMP_CWORD)); do
        command+=" ${COMP_WORDS[index]}"
    done

    case $previous in
        -p | --project)
            _paparats_words "$(paparats list --names 2>/dev/null)"
            return ;;
        --toolset)
            _paparats_words "coding support projects codebase"
            return ;;
        --config-dir | --state-dir | --cache-dir | --runtime-dir | --data-dir)
            compopt -o filenames
            COMPREPLY=($(compgen -d -- "$current"))
            return ;;
        -g | --group)
            _paparats_words "$(paparats list --groups 2>/dev/null)"
            return ;;
        --lang)
            _paparats_words "$(paparats list --languages 2>/dev/null)"
            return ;;
        --kind)
            if [[ $command == arch* ]]; then
                _paparats_words "component decision lesson"
                return
            fi
            _paparats_words "block cell class constant enum field function impl interface key macro
                method module property resource route section struct test trait type variable window"
            return ;;
        --scope)
            _paparats_words "global component file"
            return ;;
        --severity)
            _paparats_words "info warning critical"
            return ;;
        --direction)
            _paparats_words "incoming outgoing both"
            return ;;
        --relation)
            _paparats_words "calls references inherits overrides imports tests requests"
            return ;;
        --name | --branch | --ref | -n | --limit | --path | --radius | --timeout | --author | --since | --until | \
            --ticket | --commits | --max-tokens | --offset | --depth | --hops | --callers | \
            -q | --question | --audience | --min-score | --min-score-code | --alias | --cursor | \
            --components | --decisions | --lessons | --neighbour | --supersedes | --anchor | --file)
            return ;;
        --summary | --context | --decision | --consequences | --rejected | --why | --when | --evidence)
            [[ $current != @* ]] || COMPREPLY=($(compgen -f -P @ -- "${current#@}"))
            return ;;
    esac

    local options= words=
    case $command in
        "") options="--help --version --config-dir --state-dir --cache-dir --runtime-dir --data-dir"
            words="add remove list fetch reindex skipped status search show log changes explain usages def
                outline calls impact changed unused hubs docs doc term arch hooks service completions up down mcp
                migrate" ;;
        add) options="--name --group --no-hooks --branch --ref --depth --wait --no-wait --json --help" ;;
        fetch) options="--wait --json --help" words=$(paparats list --names 2>/dev/null) ;;
        remove) options="--yes --json --help" words=$(paparats list --names 2>/dev/null) ;;
        list) options="--group --names --groups --languages --roots --json --help" ;;
        reindex) options="--force --wait --json --help" words=$(paparats list --names 2>/dev/null) ;;
        skipped) options="--json --help" words=$(paparats list --names 2>/dev/null) ;;
        status) options="--watch --timeout --json --help" ;;
        search) options="--project --group --limit --path --lang --kind --fresh --related
                --explain --history --full --author --since --until --ticket --max-tokens --offset
                --timeout --json --help" ;;
        log) options="--limit --json --help" ;;
        changes) options="--project --group --path --author --since --until --ticket --limit
                --merges --json --help" ;;
        explain) options="--project --group --path --author --since --until --ticket --limit
                --commits --json --help" ;;
        show) options="--radius --json --help" ;;
        usages) options="--project --group --path --direction --relation --no-tests --no-hubs
                --limit --offset --fresh --json --help" ;;
        def) options="--project --group --path --limit --fresh --json --help" ;;
        outline) options="--project --group --path --depth --public --max-tokens --offset --fresh
                --json --help" ;;
        calls) options="--project --group --path --hops --limit --fresh --json --help" ;;
        impact) options="--question --project --group --path --hops --limit --fresh --json --help" ;;
        changed) options="--project --group --path --limit --callers --fresh --json --help"
            words="working staged" ;;
        unused | hubs) options="--project --group --path --kind --limit --offset --fresh --json
                --help" ;;
        docs) options="--project --group --audience --limit --min-score --min-score-code --history
                --fresh --full --json --help" ;;
        doc) options="--offset --all --json --help" ;;
        term) options="--help" words="search list show record delete" ;;
        "term search") options="--project --group --limit --min-score --json --help" ;;
        "term list") options="--project --group --limit --json --help" ;;
        "term record") options="--project --group --alias --json --help" ;;
        "term delete" | "arch delete") options="--project --group --yes --json --help" ;;
        arch) options="--help"
            words="context list show check record delete suggest stats export import" ;;
        "arch context") options="--project --group --min-score --components --decisions --lessons
                --unchecked --json --help" ;;
        "arch list") options="--project --group --kind --history --checked --limit --cursor --json
                --help" ;;
        "arch check") options="--project --group --kind --json --help" ;;
        "arch suggest") options="--project --group --limit --json --help" ;;
        "term show" | "arch show" | "arch stats") options="--project --group --json --help" ;;
        "arch record") options="--help" words="component decision lesson" ;;
        "arch record component") options="--summary --neighbour --project --group --file --anchor
                --json --help" ;;
        "arch record decision") options="--context --decision --consequences --rejected --supersedes
                --scope --project --group --file --anchor --json --help" ;;
        "arch record lesson") options="--why --when --evidence --severity --scope --project --group
                --file --anchor --json --help" ;;
        "arch export") options="--project --group --prune --json --help" ;;
        "arch import") options="--project --group --dry-run --json --help" ;;
        hooks) options="--all --json --help" words="install uninstall status" ;;
        service) options="--json --help" words="install uninstall status" ;;
        completions) options="--json --help" words="bash zsh fish" ;;
        mcp) options="--toolset --ollama-url --qdrant-url --embed-model --index-root
                --json --help" ;;
        up | down) options="--json --help" ;;
        migrate) options="--to --dry-run --delete-source --json --help" words="server edge layout" ;;
    esac

    if [[ $current == -* ]]; then
        _paparats_words "$options"
    elif [[ $command == @(show|log|usages|def|outline|calls|impact|doc) ]]; then
        _paparats_address
    elif [[ $command == @(add|"arch export"|"arch import") || ($command == hooks && $previous != hooks) ]]; then
        compopt -o filenames
        COMPREPLY=($(compgen -d -- "$current"))
    else
        _paparats_words "$words"
    fi
}

complete -F _paparats paparats
