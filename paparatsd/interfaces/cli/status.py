"""`paparats status`: the daemon, its projects, and what is wrong."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from paparatsd.interfaces.cli.output import Column, clean, rich_lines, size, span, wrapped
from paparatsd.interfaces.cli.remotes import remote_lines
from paparatsd.interfaces.history_words import status_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paparatsd.interfaces.cli.context import Context

REFRESH_S = 1.0
WORKING = "indexing"
COLUMNS = (
    Column("PROJECT", style="bold"),
    Column("GROUP", drop=3),
    Column("STATE"),
    Column("BRANCH", drop=2),
    Column("FILES", right=True),
    Column("CHUNKS", right=True, drop=5),
    Column("SKIPPED", right=True, drop=4),
    Column("PENDING", right=True, drop=1),
    Column("RATE", right=True, drop=7),
    Column("ETA", right=True, drop=6),
    Column("HISTORY", drop=8),
)


def status(context: Context) -> int:
    """Print the status, once or until interrupted."""
    client = context.client(context.arguments.timeout)
    if context.arguments.watch:
        return _watch(context)
    answer = client.status()
    if context.as_json:
        context.output.json(answer)
        return 0
    for line in daemon_lines(answer):
        context.output.paragraph(line)
    if answer["projects"]:
        context.output.line()
        context.output.table(COLUMNS, project_rows(answer["projects"]))
    else:
        context.output.line("no projects yet; add one with: paparats add PATH")
    for line, style in (*_following(answer), *remark_lines(answer)):
        context.output.paragraph(line, style)
    return 0


def _following(answer: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(line, "") for line in remote_lines(answer)]


def daemon_lines(answer: Mapping[str, Any]) -> list[str]:
    """Return what is said of the daemon."""
    embedder, memory = answer["embedder"], answer["memory_bytes"]
    parts = ", ".join(f"{name} {size(count)}" for name, count in memory.items())
    return [
        f"paparatsd {answer['version']}, pid {answer['pid']}, up {span(answer['uptime_s'])}, "
        f"memory {size(sum(memory.values()))}" + (f" ({parts})" if len(memory) > 1 else ""),
        f"embedder {_embedder_words(embedder)}, {_text_words(answer)}store {answer['store']}",
        *change_lines(answer),
        f"http {answer['http']}, socket {answer['socket']}",
        *_knowledge_lines(answer.get("knowledge")),
        *outlet_lines(answer),
    ]


def _embedder_words(embedder: Mapping[str, Any]) -> str:
    return f"{embedder['provider']} {embedder['model']} ({embedder['dimension']})"


def _text_words(answer: Mapping[str, Any]) -> str:
    text = answer.get("text_embedder")
    return f"for text {_embedder_words(text)}, " if text else ""


def change_lines(answer: Mapping[str, Any]) -> list[str]:
    """Return how far each change of the embedding model is, and what answers meanwhile."""
    lines = []
    for change in answer.get("model_changes", ()):
        whose = "model change" if change["role"] == "code" else "model change for text"
        done = f"{change['files_done']:,} of {change['files_total']:,} files"
        before = f"the old model, {change['old']}," if change["old"] else "the model for code"
        meanwhile = f"{before} answers meanwhile"
        if not change["can_answer"]:
            meanwhile = f"{before} cannot be asked, words alone answer meanwhile"
        lines.append(f"{whose} to {change['new']}: {done}; {meanwhile}")
    return lines


def outlet_lines(answer: Mapping[str, Any]) -> list[str]:
    """Return what is sent to other programs, to whom and how much; what leaves us comes first."""
    outlets = answer.get("outlets")
    if outlets is None:  # a daemon that does not say
        return []
    leaving = [_outlet_words(outlet) for outlet in outlets if not outlet["local"]]
    local = [_outlet_words(outlet) for outlet in outlets if outlet["local"]]
    lines = [f"leaves this machine: {words}" for words in leaving]
    lines = lines or ["nothing leaves this machine"]
    return lines + [f"stays on this machine: {words}" for words in local]


def _outlet_words(outlet: Mapping[str, Any]) -> str:
    said = f"{outlet['what']}, to {outlet['host']} ({outlet['purpose']})"
    if not outlet["texts"]:
        return said
    counts = [f"{outlet['texts']:,} texts", f"{outlet['chars']:,} characters"]
    counts += [f"{outlet['tokens']:,} tokens as counted there"] if outlet["tokens"] else []
    return f"{said}: {', '.join(counts)} since the start"


def _knowledge_lines(published: Mapping[str, Any] | None) -> list[str]:
    """Say what strangers with a token may read, when there is a way in for them."""
    if not published:
        return []
    audience, projects = (", ".join(published[name]) for name in ("audience", "projects"))
    whose = f"projects {projects}" if projects else "all projects"
    return [f"knowledge endpoint {published['path']}: audience {audience}, {whose}"]


def project_rows(projects: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Return a row of the table for each project."""
    rows = []
    for project in projects:
        progress = project["progress"] or {}
        eta = progress.get("eta_s")
        rate = progress.get("files_rate")
        rows.append(
            [
                project["name"],
                project["group"],
                project["state"],
                project["branch"] or (project["head"] or "-")[:10],
                str(project["files"]),
                str(project["chunks"]),
                str(project["skipped"]),
                str(project["pending"]),
                f"{rate:.0f}/s" if rate else "-",
                span(eta) if eta is not None else "-",
                (project["history"] or {}).get("state", "-"),
            ]
        )
    return rows


def remark_lines(answer: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what stands below the table, each with its style: work, problems, offers."""
    return [
        *((line, "") for line in (*work_lines(answer), *history_lines(answer))),
        *((line, "yellow") for line in problem_lines(answer)),
        *((line, "cyan") for line in offer_lines(answer)),
    ]


def work_lines(answer: Mapping[str, Any]) -> list[str]:
    """Return what is being done to projects in the usual course of things, and why."""
    return [
        f"{project['name']} is being indexed: {project['reason']}"
        for project in answer["projects"]
        if project["state"] == WORKING and project["reason"]
    ]


def offer_lines(answer: Mapping[str, Any]) -> list[str]:
    """Return what could be indexed too: work trees of registered repositories."""
    return [f"+ {offer}" for offer in answer.get("offers", ())]


def history_lines(answer: Mapping[str, Any]) -> list[str]:
    """Return a line for each project whose history is not whole: what is to go, or why."""
    lines = []
    for project in answer["projects"]:
        history = project["history"]
        if history and history["state"] not in ("ready", "none"):
            why = f" ({history['reason']})" if history["reason"] else ""
            lines.append(f"history of {project['name']}: {status_words(history)}{why}")
    return lines


def problem_lines(answer: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the daemon and with single projects, each once."""
    told, lines = set(), []
    for project in answer["projects"]:
        name, reason, watching = project["name"], project["reason"], project["watching"]
        if reason and project["state"] != WORKING:
            told.add(f"{name}: {reason}")
            lines.append(f"! {name}: {reason}")
        if watching.startswith("polling"):
            told.add(f"{name}: {watching}")
            lines.append(f"! {name}: changes are found by {watching}")
    # The daemon's list repeats what is wrong with projects, for those who read nothing else.
    own = [f"! {problem}" for problem in answer["problems"] if problem not in told]
    return list(dict.fromkeys((*own, *lines)))


def _watch(context: Context) -> int:
    if context.as_json or not context.output.terminal:
        return _watch_lines(context)
    from rich.console import Group
    from rich.live import Live
    from rich.text import Text

    def view() -> Group:
        answer = context.client(context.arguments.timeout).status()
        rows = [[clean(cell) for cell in row] for row in project_rows(answer["projects"])]
        remarks = (*_following(answer), *remark_lines(answer))
        width = context.output.width or context.output.console.width

        def paragraph(line: str, style: str = "") -> list[Text]:
            return [Text(part, style=style) for part in wrapped(clean(line), width)]

        return Group(
            *(part for line in daemon_lines(answer) for part in paragraph(line)),
            Text(),
            *rich_lines(COLUMNS, rows, width),
            *(part for line, style in remarks for part in paragraph(line, style)),
        )

    console = context.output.console
    with Live(view(), console=console, auto_refresh=False, vertical_overflow="ellipsis") as live:
        while True:
            time.sleep(REFRESH_S)
            live.update(view(), refresh=True)


def _watch_lines(context: Context) -> int:
    """Print the status again whenever it changed: for logs and programs."""
    last: object = None
    while True:
        answer = context.client(context.arguments.timeout).status()
        rows, remarks = project_rows(answer["projects"]), remark_lines(answer)
        if (rows, remarks) != last:
            last = (rows, remarks)
            if context.as_json:
                context.output.json(answer)
            else:
                context.output.table(COLUMNS, rows)
                for line, style in remarks:
                    context.output.paragraph(line, style)
            print(end="", flush=True)
        time.sleep(REFRESH_S)
