"""`paparats add`, `remove`, `list`, `reindex`, `skipped`."""

from __future__ import annotations

import os
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from paparatsd.errors import Broken, Unavailable, UnknownProject
from paparatsd.exits import INTERRUPTED
from paparatsd.interfaces.cli.background import ensure_running
from paparatsd.interfaces.cli.consent import agreed, is_asked
from paparatsd.interfaces.cli.output import Column, clean, counted, span
from paparatsd.interfaces.cli.remotes import (
    refuse_remote_options,
    remote_options,
    removal_question,
    source_of,
    url_of,
)
from paparatsd.user_paths import expanded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from paparatsd.interfaces.cli.context import Context

POLL_S = 0.2
UNFINISHED = frozenset({"indexing"})


def absolute(path: str) -> str:
    """Return a path from the root on, links kept; the daemon has another working directory."""
    return os.path.abspath(expanded(path))  # noqa: PTH100 - resolve() would follow links


def add(context: Context) -> int:
    """Register a directory or a URL; on a terminal show the progress until it is ready."""
    arguments = context.arguments
    ensure_running(context)
    roots = {one["name"]: one["root"] for one in context.client().projects()}
    entry = _registered(context)
    place = entry.get("url") or entry["path"]
    added = roots.get(entry["name"]) != entry["path"]
    if not (added or context.as_json):
        context.output.line(
            f"{place} is registered already as {entry['name']} (group {entry['group']})"
        )
    if arguments.wait or (
        context.output.terminal and not arguments.no_wait and not context.as_json
    ):
        return _follow(context, entry, added=added)
    if context.as_json:
        context.output.json({"project": entry, "added": added})
    elif added:
        context.output.line(
            f"added {entry['name']} (group {entry['group']}): {place}; indexing goes on in "
            "the background, see: paparats status"
        )
    return 0


def _registered(context: Context) -> dict[str, Any]:
    arguments = context.arguments
    url = url_of(arguments.path)
    if url is not None:
        said = {"name": arguments.name, "group": arguments.group, **remote_options(context)}
        return context.client().add_remote(url, **said)
    refuse_remote_options(context)
    return context.client().add_project(
        absolute(arguments.path),
        name=arguments.name,
        group=arguments.group,
        hooks=not arguments.no_hooks,
    )


def _follow(context: Context, entry: Mapping[str, Any], *, added: bool) -> int:
    name = entry["name"]
    try:
        if context.output.terminal and not context.as_json:
            project = _show_progress(context, name)
        else:
            *_, project = _until_settled(context, name)
    except KeyboardInterrupt:
        context.output.note(f"{name} is registered; indexing goes on in the background")
        return INTERRUPTED
    if project["state"] == "missing" and project.get("remote"):
        raise Unavailable(f"{project['reason']}; {name} is registered, it is tried again")
    if project["state"] == "error":
        raise Broken(f"{name} could not be indexed: {project['reason']}")
    if context.as_json:
        context.output.json({"project": {**entry, **project}, "added": added})
        return 0
    files, chunks = counted(project["files"], "file"), counted(project["chunks"], "chunk")
    context.output.line(
        f"{name} (group {project['group']}) is {project['state']}: {files}, {chunks}, "
        f"{project['skipped']} skipped" + (f"; {project['reason']}" if project["reason"] else "")
    )
    return 0


def _until_settled(context: Context, name: str) -> Iterator[Mapping[str, Any]]:
    """Yield the state of a project until it is no longer being indexed."""
    while True:
        found = [one for one in context.client().projects() if one["name"] == name]
        if not found:
            raise UnknownProject(f"{name} was removed meanwhile")
        yield found[0]
        if found[0]["state"] not in UNFINISHED:
            return
        time.sleep(POLL_S)


def _show_progress(context: Context, name: str) -> Mapping[str, Any]:
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
    )

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[told]}", markup=False),
    )
    project: Mapping[str, Any] = {}
    with Progress(*columns, console=context.output.console, transient=True) as display:
        task = display.add_task(f"indexing {clean(name)}", total=None, told="looking at the files")
        for project in _until_settled(context, name):
            progress = project["progress"]
            if progress is not None and progress["files_total"]:
                display.update(
                    task,
                    total=progress["files_total"],
                    completed=progress["files_done"],
                    told=_told(progress),
                )
    return project


def _told(progress: Mapping[str, Any]) -> str:
    text = (
        f"{progress['files_done']}/{counted(progress['files_total'], 'file')}, "
        f"{counted(progress['chunks_done'], 'chunk')}, {progress['files_rate']:.0f} files/s"
    )
    return text if progress["eta_s"] is None else f"{text}, {span(progress['eta_s'])} left"


def remove(context: Context) -> int:
    """Forget a project; asks first when a person is there to answer."""
    name: str = context.arguments.project
    if is_asked(context) and not agreed(context, removal_question(context, name)):
        context.output.line("nothing was removed")
        return 0
    context.client(120.0).remove_project(name)
    if context.as_json:
        context.output.json({"removed": name})
    else:
        context.output.line(f"removed {name}")
    return 0


def list_projects(context: Context) -> int:
    """Print the registered projects."""
    projects = context.client().projects(context.arguments.group)
    if context.as_json:
        context.output.json({"projects": projects})
    elif context.arguments.only:
        for line in _short_list(projects, context.arguments.only):
            print(line)
    elif not projects:
        context.output.line("no projects; add one with: paparats add PATH")
    else:
        columns = (
            Column("PROJECT", style="bold"),
            Column("GROUP"),
            Column("STATE"),
            Column("FILES", right=True),
            Column("PATH OR URL", loose=True),
        )
        rows = [
            [one["name"], one["group"], one["state"], str(one["files"]), source_of(one)]
            for one in projects
        ]
        context.output.table(columns, rows)
    return 0


def _short_list(projects: Sequence[Mapping[str, Any]], only: str) -> list[str]:
    """Return what scripts and completions ask for, a line each (the keys of parser.LISTS)."""
    if only == "names":
        return [clean(one["name"]) for one in projects]
    if only == "roots":
        return [f"{clean(one['name'])}\t{clean(one['root'])}" for one in projects]
    if only == "groups":
        return sorted({clean(one["group"]) for one in projects})
    return sorted({clean(language) for one in projects for language in one["languages"]})


def reindex(context: Context) -> int:
    """Queue a comparison with the disk, or a full reindex."""
    arguments = context.arguments
    depth = "full" if arguments.force else "changed"
    answer = context.client().reindex(arguments.project, depth=depth)
    if arguments.wait:
        answer["freshness"] = context.client().flush(arguments.project)["freshness"]
    if context.as_json:
        context.output.json(answer)
        return 0
    names = ", ".join(answer["projects"]) or "no project"
    done = "reindexed" if arguments.wait else "reindexing"
    context.output.line(f"{done} {names}" + (" from scratch" if arguments.force else ""))
    return 0


def skipped(context: Context) -> int:
    """Print every listed file that is not indexed, with its reason."""
    answer = context.client(120.0).skipped(context.arguments.project)
    if context.as_json:
        context.output.json({"projects": answer})
        return 0
    columns = (
        Column("PROJECT", style="bold"),
        Column("REASON"),
        Column("PATH", loose=True),
        Column("DETAIL"),
    )
    rows = [
        [name, one["reason"], one["path"], one["detail"]]
        for name, files in answer.items()
        for one in files
    ]
    if rows:
        context.output.table(columns, rows)
        context.output.line()
    for name, files in answer.items():
        counts = Counter(one["reason"] for one in files)
        told = ", ".join(f"{count} {reason}" for reason, count in counts.most_common())
        context.output.line(f"{name}: {len(files)} skipped" + (f" ({told})" if told else ""))
    return 0
