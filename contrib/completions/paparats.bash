# Completions of paparats for bash. Load with: source <(paparats completions bash)

_paparats() {
    local current previous command word index
    current=${COMP_WORDS[COMP_CWORD]}
    previous=${COMP_WORDS[COMP_CWORD - 1]}
    command=
    for ((index = 1; index < COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        case $word in
            --config-dir | --state-dir | --cache-dir | --runtime-dir) ((index++)) ;;
            -*) ;;
            *) command=$word; break ;;
        esac
    done

    case $previous in
        -p | --project)
            COMPREPLY=($(compgen -W "$(paparats list --names 2>/dev/null)" -- "$current"))
            return ;;
        --toolset)
            COMPREPLY=($(compgen -W "coding support knowledge projects codebase" -- "$current"))
            return ;;
        --config-dir | --state-dir | --cache-dir | --runtime-dir)
            compopt -o filenames
            COMPREPLY=($(compgen -d -- "$current"))
            return ;;
        --name | --group | -g | -n | --limit | --path | --lang | --kind | --radius | --timeout)
            return ;;
    esac

    local options= words=
    case $command in
        "") options="--help --version --config-dir --state-dir --cache-dir --runtime-dir"
            words="add remove list reindex skipped status search show hooks service completions
                up down mcp" ;;
        add) options="--name --group --no-hooks --wait --no-wait --json --help" ;;
        remove) options="--yes --json --help" words=$(paparats list --names 2>/dev/null) ;;
        list) options="--group --names --json --help" ;;
        reindex) options="--force --wait --json --help" words=$(paparats list --names 2>/dev/null) ;;
        skipped) options="--json --help" words=$(paparats list --names 2>/dev/null) ;;
        status) options="--watch --timeout --json --help" ;;
        search) options="--project --group --limit --path --lang --kind --fresh --timeout --json
                --help" ;;
        show) options="--radius --json --help" ;;
        hooks | service) options="--json --help" words="install uninstall status" ;;
        completions) options="--json --help" words="bash zsh fish" ;;
        mcp) options="--toolset --json --help" ;;
        up | down) options="--json --help" ;;
    esac

    if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$current"))
    elif [[ $command == add || ($command == hooks && $previous != hooks) ]]; then
        compopt -o filenames
        COMPREPLY=($(compgen -d -- "$current"))
    else
        COMPREPLY=($(compgen -W "$words" -- "$current"))
    fi
}

complete -F _paparats paparats
