"""Prompts for agents that answer for people who do not see the code."""

from __future__ import annotations

from paparatsd.interfaces.mcp.prompts import Prompt, PromptArgument

PROJECT = PromptArgument("project", "Only this project; every indexed one when left out")

ONBOARD_TO_PROJECT = Prompt(
    name="onboard_to_project",
    title="Get to know a project",
    description="An overview of a project for somebody's first day with it, in plain words.",
    arguments=(PromptArgument("project", "The project's name", required=True),),
    text="""\
Write an overview of the project {{project}} for somebody who starts to support it today and does \
not read code.

1. list_projects() says whether it is indexed, and in which group. When it is not there, say so \
and stop.
2. search_docs(query="what this project is for and how it is used", project="{{project}}"), then \
get_document(project="{{project}}", path) for the one or two that introduce it.
3. term_list(project="{{project}}") for its words.
4. explain_feature(question="what the main parts are", project="{{project}}"), and once more for \
each of three to five parts, for what belongs to it, when it changed last and who knows it.
5. explain_feature(question="configuration and settings", project="{{project}}") and \
explain_feature(question="connections to other systems", project="{{project}}").
6. search_commits(project="{{project}}", since="30 days ago") for what is being worked on.

Hand over, on one page and in plain words:
- what it is for, and for whom;
- three to five parts: what each does, its last change with date and author, whom to ask;
- what can be set, and what that changes for a user;
- which systems it depends on;
- its vocabulary;
- what was worked on in the last month, with tickets in brackets.
Documents may be older than the code: give the date of the one you rely on. Leave out what you \
did not find.""",
)

TRIAGE_INCIDENT = Prompt(
    name="triage_incident",
    title="Triage an incident",
    description="From a symptom to the likely place, its owner, and what changed there lately.",
    arguments=(
        PromptArgument("symptom", "What users see, or an error message as it is", required=True),
        PromptArgument("since", "Look at changes since then; 7 days when left out"),
        PROJECT,
    ),
    text="""\
Find out which part of the software this may come from, and what changed there:

{{symptom}}

Projects: {{project|all}}. Changes since: {{since|7 days ago}}.

1. When the symptom has a word you do not know: term_search(query="that word").
2. explain_feature(question="what the user was doing", project="{{project|all}}"); with an error \
message also search_code(query="the message, as it is", project="{{project|all}}").
3. recent_changes(question="the same", since="{{since|7 days ago}}", project="{{project|all}}"), \
then search_commits(query="what is broken, in a few words", since="{{since|7 days ago}}", \
project="{{project|all}}").
4. get_chunk_meta(address) of the one to three likeliest places: who knows them, which tickets \
made them.
5. impact_analysis(address) of the likeliest, for what else may be affected.
6. search_docs(query="how to deal with it", project="{{project|all}}"): there may be a procedure.

Hand over, in plain words:
- the likely area and what it does, with its project, and how sure you are;
- its owner: the person who knows it best, and the last change with date and author;
- the changes since {{since|7 days ago}} that fit, newest first, each with date, author and \
[ticket]; say plainly when there are none;
- what else may be affected;
- what an engineer should look at first.
A change at the right time is a suspect, not the cause: word it so. When nothing fits, say so and \
name whom to ask.""",
)

PREPARE_RELEASE_NOTES = Prompt(
    name="prepare_release_notes",
    title="Prepare release notes",
    description="What changed in a project since a day, by area, for the people who use it.",
    arguments=(
        PromptArgument("project", "The project's name", required=True),
        PromptArgument("since", 'A day, a moment or "2 weeks ago"', required=True),
    ),
    text="""\
Draft release notes for the project {{project}}: what changed since {{since}}.

1. search_commits(project="{{project}}", since="{{since}}", limit=50) lists the commits. When it \
says that there are more, ask again with until set to the day of the oldest one you have.
2. Sort them by what a user would call the area. For a commit that does not say what it is about: \
explain_feature(question="what it touched", project="{{project}}"), or get_chunk_meta(address) of \
a place in it.
3. search_commits(query="breaking change, migration, removed, renamed, deprecated", \
project="{{project}}", since="{{since}}"), and the same for security fixes.
4. recent_changes(question="an area", project="{{project}}", since="{{since}}") for each large \
area, so that nothing in it is missed.

Hand over:
- one section for each area; a line for each change that a user can notice, in their words, with \
its [ticket], or "no ticket";
- "Breaking changes and migration": what somebody has to do, or that there is nothing to do;
- fixes apart from additions;
- last, in one line: areas without any change, and how many commits you left out as internal.
A commit is not a release: say that these are changes in the code since {{since}}, not that users \
have them. Never write a change that no commit shows.""",
)

ASSESS_CHANGE_IMPACT = Prompt(
    name="assess_change_impact",
    title="Assess the impact of a change",
    description="What depends on something, who owns that, and how risky a change to it is.",
    arguments=(
        PromptArgument(
            "target", "A feature, a name, or an address out of an answer", required=True
        ),
        PROJECT,
    ),
    text="""\
Say what may be affected when this is changed:

{{target}}

Projects: {{project|all}}

1. explain_feature(question="{{target}}", project="{{project|all}}") for the places that are \
meant. When there are several quite different ones, say which you took.
2. impact_analysis(address, max_hops=2) for each of them; find_usages(address) for who uses it \
directly.
3. get_chunk_meta(address) of what is affected most, for who knows it.
4. recent_changes(question="{{target}}", since="30 days ago", project="{{project|all}}") for what \
is being changed there already.

Hand over, in plain words:
- what it is, in which project, and its last change with date and author;
- what depends on it, by project and by the person who knows it; direct users first;
- the places that use it, as a short list for the engineer;
- the activity of the last 30 days, with tickets in brackets: work that may collide;
- a note on the risk: low, medium or high, with the two facts that decide it. Tests that cover it \
lower it; several projects, several owners or much recent change raise it.
What is marked ? is likely and not certain. Nothing found does not mean that nothing depends on \
it: say what the index cannot see.""",
)
