"""Prompts about code, for agents that write it."""

from __future__ import annotations

from paparatsd.interfaces.mcp.prompts import Prompt, PromptArgument

PROJECT = PromptArgument("project", "Only this project; every indexed one when left out")

FIND_IMPLEMENTATION = Prompt(
    name="find_implementation",
    title="Find an implementation",
    description="Find where a feature is implemented, read it, and say who uses it.",
    arguments=(
        PromptArgument("feature", "The feature, in plain words or by a name", required=True),
        PROJECT,
    ),
    text="""\
Find the code that implements this feature, and explain it from its source:

{{feature}}

Projects: {{project|all}}

1. search_code(query="the feature in your own words", project="{{project|all}}"). Look at the \
confidence of the hits. When none is high, search once more with the words that code would use: \
names of types, functions, routes.
2. get_chunk(address) for the best two to four hits. Read them; a hit is the beginning, not the \
whole.
3. For each place that seems to be an entry point: find_usages(address, direction="both"), one \
level only. go_to_definition(address) for a type or a function that you have to know.
4. When one file holds most of it: outline(address) of that file, for its public surface.

Hand over:
- two to four sentences on how it works;
- the entry points, the key types and the public surface, each as path:start-end with one line on \
its part;
- who calls it, by file;
- how sure you are. When the best hit was only partial or low, say that first, and say what you \
searched for. An implementation that you did not read does not exist: do not describe one from \
its name.""",
)

TRACE_CALLERS = Prompt(
    name="trace_callers",
    title="Trace callers",
    description="Find everything that calls a symbol, up to the borders of the project.",
    arguments=(
        PromptArgument("symbol", "A name, or an address out of a result", required=True),
        PROJECT,
    ),
    text="""\
Find out who calls this symbol, directly and through one more step:

{{symbol}}

Projects: {{project|all}}

1. go_to_definition(address="{{symbol}}", project="{{project|all}}"). When several definitions \
fit, say which, take the one that is meant by the request, or ask.
2. find_usages(address, direction="incoming") of the definition; go on with offset while the \
answer says that there is more.
3. The same for each caller that is not a test, once. Stop there. A caller with very many users \
of its own is a border: name it, do not follow it.
4. impact_analysis(address) for what is reached beyond, such as routes and other projects, and \
for the tests.

Hand over:
- the definition as path:start-end, with its signature;
- direct callers by file, then callers of callers by file, each with its line;
- where the chain leaves the project or becomes public: routes, commands, exported functions;
- what is not certain. An edge marked ? is inferred from a name and ?? is one of several: check \
such a caller with get_chunk(address) before you count it. Finding no caller proves nothing where \
names are put together at run time; say so when it applies.""",
)

ONBOARD_TO_PROJECT = Prompt(
    name="onboard_to_project",
    title="Get to know a project",
    description="An overview of a project for somebody's first day on it.",
    arguments=(PromptArgument("project", "The project's name", required=True),),
    text="""\
Write an overview of the project {{project}} for somebody who starts on it today.

1. list_projects() says whether it is indexed, in which group, and in which languages. When it is \
not there, say so and stop.
2. search_docs(query="what this project is for and how to set it up", project="{{project}}"), \
then get_document(project="{{project}}", path) for the one or two that introduce it.
3. arch_context(question="overview", project="{{project}}") for what has been recorded about its \
parts, and term_list(project="{{project}}") for its words. Either may be empty.
4. outline(address="{{project}}", depth=1) for its directories, and hubs(project="{{project}}") \
for where it begins and what most of it is built on.
5. For each of three to five subsystems: search_code(query="the subsystem in plain words", \
project="{{project}}"), and get_chunk(address) of what stands at its centre.
6. search_code(query="configuration and environment variables", project="{{project}}") and \
search_code(query="calls to other services, databases and queues", project="{{project}}").

Hand over, on one page:
- what it is for, in two sentences;
- languages and main libraries;
- three to five subsystems: what each does, and where to begin reading, as path:start-end;
- configuration: what has to be set, and where it is read;
- what it talks to;
- words a newcomer will stumble over.
Documents may be older than the code. Where they disagree, the code is right; say that they do. \
Leave out what you did not find.""",
)
