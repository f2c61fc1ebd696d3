# Completions of paparats for fish. Install with:
#   paparats completions fish > ~/.config/fish/completions/paparats.fish

function __paparats_projects
    paparats list --names 2>/dev/null
end

function __paparats_groups
    paparats list --groups 2>/dev/null
end

function __paparats_languages
    paparats list --languages 2>/dev/null
end

# An address: the project's name and a colon, then a path below its directory.
function __paparats_addresses
    set -l text (commandline -ct)
    if not string match -q '*:*' -- $text
        string replace -r '$' ':' -- (__paparats_projects)
        return
    end
    set -l parts (string split -m 1 : -- $text)
    for line in (paparats list --roots 2>/dev/null)
        set -l entry (string split -m 1 \t -- $line)
        if test "$entry[1]" = "$parts[1]"
            for path in $entry[2]/$parts[2]*
                set -l end ''
                test -d $path; and set end /
                set -l start (math (string length -- $entry[2]/) + 1)
                echo $parts[1]:(string sub -s $start -- $path)$end
            end
        end
    end
end

complete -c paparats -f

for pair in \
        'add:Index a directory from now on' \
        'remove:Forget a project and its index' \
        'list:List the projects' \
        'fetch:Fetch repositories that are followed by URL, now' \
        'reindex:Compare projects with the disk' \
        'skipped:List files that are not indexed' \
        'status:Show the daemon and its projects' \
        'search:Find code by words or by meaning' \
        'show:Show the code at an address' \
        'log:Show who changed a place, when and why' \
        'changes:Find commits, and what is left of them' \
        'explain:Say where something is and what changed there' \
        'usages:Show who uses a symbol' \
        'def:Show where a name is defined' \
        'outline:List the symbols of a file or a directory' \
        'calls:Show how one symbol comes to call another' \
        'impact:Show what breaks if it changes' \
        'changed:Show which symbols a change touches' \
        'unused:List definitions that nothing seems to use' \
        'hubs:List what most files are built on' \
        'docs:Find documents that answer a question' \
        'doc:Print a document' \
        'term:The glossary' \
        'arch:The architectural memory' \
        'hooks:Git hooks of a checkout' \
        'service:The systemd user service' \
        'completions:Print completions for a shell' \
        'up:Start the daemon in the background' \
        'down:Stop the daemon' \
        'mcp:Speak MCP on stdin and stdout' \
        'migrate:Move the vectors to a server, or back'
    set -l parts (string split -m 1 : $pair)
    complete -c paparats -n __fish_use_subcommand -a $parts[1] -d $parts[2]
end

complete -c paparats -n __fish_use_subcommand -l version -d 'Show the version'
for kind in config state cache runtime data
    complete -c paparats -n __fish_use_subcommand -l $kind-dir -r -a '(__fish_complete_directories)' \
        -d "The $kind directory"
end
complete -c paparats -l help -d 'Show help'
complete -c paparats -n 'not __fish_use_subcommand' -l json -d 'Print JSON'

# The words before the cursor that are no options: a command, its verb, the kind of a card, ...
function __paparats_words
    set -l skip 0
    for word in (commandline -opc)[2..]
        if test $skip = 1
            set skip 0
        else if string match -q -- '--*-dir' $word
            set skip 1
        else if not string match -q -- '-*' $word
            echo $word
        end
    end
end

function __paparats_on
    set -l words (__paparats_words)
    set -l number (count $argv)
    test "$words[1..$number]" = "$argv"
end

# The same, with nothing behind them yet.
function __paparats_only
    set -l words (__paparats_words)
    test "$words" = "$argv"
end

complete -c paparats -n '__paparats_on add' -a '(__fish_complete_directories)'
complete -c paparats -n '__paparats_on add' -l name -x -d 'Project name'
complete -c paparats -n '__paparats_on add' -l group -x -a '(__paparats_groups)' -d Group
complete -c paparats -n '__paparats_on add' -l no-hooks -d 'Do not install git hooks'
complete -c paparats -n '__paparats_on add' -l wait -d 'Return when the index is ready'
complete -c paparats -n '__paparats_on add' -l no-wait -d 'Return at once'
complete -c paparats -n '__paparats_on add' -l branch -x -d 'Branch of a URL'
complete -c paparats -n '__paparats_on add' -l ref -x -d 'Tag or commit of a URL'
complete -c paparats -n '__paparats_on add' -l depth -x -d 'Only so many commits of a URL'
complete -c paparats -n '__paparats_on fetch' -l wait -d 'Return when the index is up to date'

for command in remove fetch reindex skipped
    complete -c paparats -n "__paparats_on $command" -a '(__paparats_projects)'
end
complete -c paparats -n '__paparats_on remove' -l yes -d 'Do not ask'
complete -c paparats -n '__paparats_on list' -s g -l group -x -a '(__paparats_groups)' \
    -d 'Only this group'
complete -c paparats -n '__paparats_on list' -l names -d 'Only names'
complete -c paparats -n '__paparats_on list' -l roots -d 'Only names and directories'
complete -c paparats -n '__paparats_on list' -l groups -d 'Only groups'
complete -c paparats -n '__paparats_on list' -l languages -d 'Only languages'
complete -c paparats -n '__paparats_on reindex' -l force -d 'Read every file again'
complete -c paparats -n '__paparats_on reindex' -l wait -d 'Return when nothing is pending'

complete -c paparats -n '__paparats_on status' -l watch -d 'Keep showing'
complete -c paparats -n '__paparats_on status' -l timeout -x -d Seconds

for command in search changes explain
    complete -c paparats -n "__paparats_on $command" -s p -l project -x -a '(__paparats_projects)'
    complete -c paparats -n "__paparats_on $command" -s g -l group -x -a '(__paparats_groups)' \
        -d Group
    complete -c paparats -n "__paparats_on $command" -l path -x -d Glob
    complete -c paparats -n "__paparats_on $command" -l author -x -d 'Only what they changed'
    complete -c paparats -n "__paparats_on $command" -l since -x -d 'Date, or "7 days ago"'
    complete -c paparats -n "__paparats_on $command" -l until -x -d 'Date, or "7 days ago"'
    complete -c paparats -n "__paparats_on $command" -l ticket -x -d 'Only for this ticket'
end
for command in search log changes explain
    complete -c paparats -n "__paparats_on $command" -s n -l limit -x -d 'How many'
end
complete -c paparats -n '__paparats_on search' -l history -d 'Say when each hit changed last'
complete -c paparats -n '__paparats_on search' -l full -d 'Show all lines of results of low confidence too'
complete -c paparats -n '__paparats_on log' -a '(__paparats_addresses)'
complete -c paparats -n '__paparats_on changes' -l merges -d 'Also list merges'
complete -c paparats -n '__paparats_on explain' -l commits -x -d 'Commits of each place'
complete -c paparats -n '__paparats_on search' -l lang -x -a '(__paparats_languages)' -d Language
complete -c paparats -n '__paparats_on search' -l kind -x -d Kind \
    -a 'block cell class constant enum field function impl interface key macro method module \
    property resource route section struct test trait type variable window'
complete -c paparats -n '__paparats_on search' -l fresh -d 'Compare with the disk first'
complete -c paparats -n '__paparats_on search' -l related -d 'Name callers, callees and tests'
complete -c paparats -n '__paparats_on search' -l explain -d 'Show where scores come from'
complete -c paparats -n '__paparats_on search' -l max-tokens -x -d Budget
complete -c paparats -n '__paparats_on search' -l offset -x -d 'Skip so many'
complete -c paparats -n '__paparats_on search' -l timeout -x -d Seconds

for command in usages def outline calls impact changed unused hubs
    complete -c paparats -n "__paparats_on $command" -s p -l project -x -a '(__paparats_projects)'
    complete -c paparats -n "__paparats_on $command" -s g -l group -x -a '(__paparats_groups)' \
        -d Group
    complete -c paparats -n "__paparats_on $command" -l path -x -d Glob
    complete -c paparats -n "__paparats_on $command" -l fresh -d 'Compare with the disk first'
end
for command in usages def calls impact changed unused hubs
    complete -c paparats -n "__paparats_on $command" -s n -l limit -x -d 'How many'
end
for command in usages def outline calls impact
    complete -c paparats -n "__paparats_on $command" -a '(__paparats_addresses)'
end
for command in usages outline unused hubs
    complete -c paparats -n "__paparats_on $command" -l offset -x -d 'Skip so many'
end
complete -c paparats -n '__paparats_on usages' -l direction -x -a 'incoming outgoing both'
complete -c paparats -n '__paparats_on usages' -l relation -x \
    -a 'calls references inherits overrides imports tests requests'
complete -c paparats -n '__paparats_on usages' -l no-tests -d 'Leave out users in tests'
complete -c paparats -n '__paparats_on usages' -l no-hubs -d 'Leave out what is used everywhere'
complete -c paparats -n '__paparats_on outline' -l depth -x -d 'Levels of nested symbols'
complete -c paparats -n '__paparats_on outline' -l public -d 'Only what is exported'
complete -c paparats -n '__paparats_on outline' -l max-tokens -x -d Budget
complete -c paparats -n '__paparats_on calls' -l hops -x -d 'Calls at most'
complete -c paparats -n '__paparats_on impact' -l hops -x -d 'How far users of users are followed'
complete -c paparats -n '__paparats_on impact' -s q -l question -x -d 'Words that find it'
complete -c paparats -n '__paparats_on changed' -a 'working staged'
complete -c paparats -n '__paparats_on changed' -l callers -x -d 'Users of each'
for command in unused hubs
    complete -c paparats -n "__paparats_on $command" -l kind -x -d Kind \
        -a 'block cell class constant enum field function impl interface key macro method module \
    property resource route section struct test trait type variable window'
end

for command in docs term arch
    complete -c paparats -n "__paparats_on $command" -s p -l project -x -a '(__paparats_projects)'
    complete -c paparats -n "__paparats_on $command" -s g -l group -x -a '(__paparats_groups)' -d Group
end
for command in docs 'term search' 'term list' 'arch list' 'arch suggest'
    complete -c paparats -n "__paparats_on $command" -s n -l limit -x -d 'How many'
end
complete -c paparats -n '__paparats_on docs' -l audience -x -d 'Only for them'
complete -c paparats -n '__paparats_on docs' -l min-score-code -x -d 'Floor for projects with code'
for command in docs 'term search' 'arch context'
    complete -c paparats -n "__paparats_on $command" -l min-score -x -d 'Floor of likeness'
end
complete -c paparats -n '__paparats_on docs' -l history -d 'Say when each place changed last'
complete -c paparats -n '__paparats_on docs' -l fresh -d 'Compare with the disk first'
complete -c paparats -n '__paparats_on docs' -l full -d 'Show all lines of each excerpt'
complete -c paparats -n '__paparats_on doc' -a '(__paparats_addresses)'
complete -c paparats -n '__paparats_on doc' -l offset -x -d 'Begin behind so many characters'
complete -c paparats -n '__paparats_on doc' -l all -d 'To its end'

complete -c paparats -n '__paparats_only term' -a 'search list show record delete'
complete -c paparats -n '__paparats_on term record' -l alias -x -d 'Another name'
for command in 'term delete' 'arch delete'
    complete -c paparats -n "__paparats_on $command" -l yes -d 'Do not ask'
end

complete -c paparats -n '__paparats_only arch' \
    -a 'context list show check record delete suggest stats export import'
complete -c paparats -n '__paparats_on arch context' -l components -x -d 'At most so many'
complete -c paparats -n '__paparats_on arch context' -l decisions -x -d 'At most so many'
complete -c paparats -n '__paparats_on arch context' -l lessons -x -d 'At most so many'
complete -c paparats -n '__paparats_on arch context' -l unchecked -d 'Do not look at the code'
for command in 'arch list' 'arch check'
    complete -c paparats -n "__paparats_on $command" -l kind -x -a 'component decision lesson'
end
complete -c paparats -n '__paparats_on arch list' -l history -d 'Also superseded and deprecated'
complete -c paparats -n '__paparats_on arch list' -l checked -d 'What became of what they name'
complete -c paparats -n '__paparats_on arch list' -l cursor -x -d 'Go on where a list ended'
complete -c paparats -n '__paparats_on arch export' -l prune -d 'Delete files of other notes'
complete -c paparats -n '__paparats_on arch import' -l dry-run -d 'Only say what would change'
for command in 'arch export' 'arch import'
    complete -c paparats -n "__paparats_on $command" -a '(__fish_complete_directories)'
end
complete -c paparats -n '__paparats_only arch record' -a 'component decision lesson'
complete -c paparats -n '__paparats_on arch record' -l file -x -d 'A file it is about'
complete -c paparats -n '__paparats_on arch record' -l anchor -x -d 'Code it names'
complete -c paparats -n '__paparats_on arch record component' -l summary -x -d 'What it does and owns'
complete -c paparats -n '__paparats_on arch record component' -l neighbour -x -d 'What it works with'
complete -c paparats -n '__paparats_on arch record decision' -l context -x -d 'What made it necessary'
complete -c paparats -n '__paparats_on arch record decision' -l decision -x -d 'What was chosen'
complete -c paparats -n '__paparats_on arch record decision' -l consequences -x -d 'What follows'
complete -c paparats -n '__paparats_on arch record decision' -l rejected -x -d 'What was not chosen'
complete -c paparats -n '__paparats_on arch record decision' -l supersedes -x -d 'What it replaces'
complete -c paparats -n '__paparats_on arch record lesson' -l why -x -d 'Why it holds'
complete -c paparats -n '__paparats_on arch record lesson' -l when -x -d 'When to think of it'
complete -c paparats -n '__paparats_on arch record lesson' -l evidence -x -d 'Where it was learned'
complete -c paparats -n '__paparats_on arch record lesson' -l severity -x -a 'info warning critical'
for kind in decision lesson
    complete -c paparats -n "__paparats_on arch record $kind" -l scope -x -a 'global component file'
end

complete -c paparats -n '__paparats_on show' -a '(__paparats_addresses)'
complete -c paparats -n '__paparats_on show' -l radius -x -d 'Lines around it'
complete -c paparats -n '__paparats_on hooks' -a 'install uninstall status'
complete -c paparats -n '__paparats_on hooks' -a '(__fish_complete_directories)'
complete -c paparats -n '__paparats_on hooks' -l all -d 'Of every project, with status'
complete -c paparats -n '__paparats_on service' -a 'install uninstall status'
complete -c paparats -n '__paparats_on completions' -a 'bash zsh fish'
complete -c paparats -n '__paparats_on mcp' -l toolset -x \
    -a 'coding support projects codebase'
complete -c paparats -n '__paparats_on mcp' -l ollama-url -x -d 'As OLLAMA_URL'
complete -c paparats -n '__paparats_on mcp' -l qdrant-url -x -d 'As QDRANT_URL'
complete -c paparats -n '__paparats_on mcp' -l embed-model -x -d 'As EMBED_MODEL'
complete -c paparats -n '__paparats_on mcp' -l index-root -r -d 'As INDEX_ROOT'
complete -c paparats -n '__paparats_on migrate' -l to -x -a 'server edge layout'
complete -c paparats -n '__paparats_on migrate' -l dry-run -d 'Only say what would be copied'
complete -c paparats -n '__paparats_on migrate' -l delete-source -d 'Empty the other side afterwards'
