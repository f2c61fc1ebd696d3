"""Content that is not on this disk: files that programs send, and repositories to be followed.

The three calls under `/api` are what the project's forerunner had under these paths. They write, so
over TCP they are for who has the token: a web page or another user of the machine has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadQuery, Refused, UnknownProject
from paparatsd.interfaces.requests import body_of
from paparatsd.model import RemoteSpec
from paparatsd.pushes.service import PushedFile

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from starlette.requests import Request

    from paparatsd.interfaces.api import ServiceApi
    from paparatsd.interfaces.arguments import Arguments
    from paparatsd.pushes.service import PushAnswer

    Call = Callable[[ServiceApi, Request], Awaitable[dict[str, Any]]]

MAX_FILES = 10_000
INDEX_WAIT_S, FILE_WAIT_S = 120.0, 60.0
CONFIG_KEYS = ("chunkSize", "overlap", "batchSize", "concurrency", "languages")
"""How the forerunner was told to cut and to embed: here that is the daemon's to say."""


def remote_spec(arguments: Arguments) -> RemoteSpec | None:
    """Take `url`, `branch`, `ref`, `depth`, `cron` and `cron_fast`; None without a URL."""
    url = arguments.optional_text("url")
    texts = {key: arguments.optional_text(key) or "" for key in ("branch", "ref")}
    times = {key: arguments.optional_text(key) or "" for key in ("cron", "cron_fast")}
    depth = arguments.number("depth", default=0, low=0, high=1_000_000)
    if url is not None:
        return RemoteSpec(url, depth=depth, **texts, **times)
    if depth or any(texts.values()) or any(times.values()):
        raise BadQuery("branch, ref, depth, cron and cron_fast need a url")
    return None


async def index(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /api/index."""
    arguments = await body_of(request)
    group, project = arguments.text("group"), arguments.text("project")
    files = [_file(one) for one in arguments.objects("files", max_items=MAX_FILES)]
    notes = _notes_on(arguments.members("config"))
    force = arguments.flag("force", default=False)
    wait_s = arguments.real("wait_s", default=INDEX_WAIT_S, low=0.0, high=600.0)
    arguments.finish()
    answer = await service.pushed.push(group, project, files, force=force, wait_s=wait_s)
    return {**_answer_json(answer), "notes": notes}


async def file_changed(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /api/file-changed."""
    arguments = await body_of(request)
    group, project = arguments.text("group"), arguments.text("project")
    file = _taken_file(arguments)
    wait_s = arguments.real("wait_s", default=FILE_WAIT_S, low=0.0, high=600.0)
    arguments.finish()
    answer = await service.pushed.change(group, project, file, wait_s=wait_s)
    return {**_answer_json(answer), "message": _message(answer, file.path, "changed")}


async def file_deleted(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /api/file-deleted."""
    arguments = await body_of(request)
    group, project = arguments.text("group"), arguments.text("project")
    path = arguments.verbatim("path")
    wait_s = arguments.real("wait_s", default=FILE_WAIT_S, low=0.0, high=600.0)
    arguments.finish()
    answer = await service.pushed.delete(group, project, path, wait_s=wait_s)
    return {**_answer_json(answer), "message": _message(answer, path, "deleted")}


CALLS: tuple[tuple[str, str, Call], ...] = (
    ("POST", "/api/index", index),
    ("POST", "/api/file-changed", file_changed),
    ("POST", "/api/file-deleted", file_deleted),
)
"""Method, path and implementation of each call that takes files in."""


def calls_of_strangers(
    allowed_projects: Sequence[str], *, has_token: bool
) -> list[tuple[str, str, Call]]:
    """Return the calls as TCP serves them: with a token, and for allowed projects only."""
    return [
        (method, path, _limited(call, frozenset(allowed_projects), has_token=has_token))
        for method, path, call in CALLS
    ]


def _limited(call: Call, allowed: frozenset[str], *, has_token: bool) -> Call:
    async def limited(service: ServiceApi, request: Request) -> dict[str, Any]:
        if not has_token:
            raise Refused(
                "files are taken over TCP only with a bearer token: make one with `paparatsd "
                "--create-token` and restart the daemon, or use its Unix socket"
            )
        project = (await body_of(request)).optional_text("project")
        if allowed and project is not None and project not in allowed:
            raise UnknownProject(f"no project named {project!r} here")
        return await call(service, request)

    return limited


def _file(arguments: Arguments) -> PushedFile:
    file = _taken_file(arguments)
    arguments.finish()
    return file


def _taken_file(arguments: Arguments) -> PushedFile:
    path, content = arguments.verbatim("path"), arguments.verbatim("content")
    # What a file is written in shows in its name and its text, as it does on the disk.
    arguments.optional_text("language")
    return PushedFile(path, content)


def _notes_on(config: Arguments | None) -> list[str]:
    if config is None:
        return []
    given = [key for key in CONFIG_KEYS if config.take(key) is not None]
    config.finish()
    return [f"config.{key} has no effect: it is one of the daemon's settings" for key in given]


def _answer_json(answer: PushAnswer) -> dict[str, Any]:
    return {
        "status": answer.status,
        "group": answer.group,
        "project": answer.project,
        "written": answer.written,
        "unchanged": answer.unchanged,
        "chunks": answer.chunks,
        "skipped": len(answer.skipped),
        "skipped_files": [
            {"path": path, "reason": reason} for path, reason in sorted(answer.skipped.items())
        ],
    }


def _message(answer: PushAnswer, path: str, done: str) -> str:
    if path in answer.skipped:
        return f"{path} is not indexed: {answer.skipped[path]}"
    if not answer.written:
        return f"{path} was not there" if done == "deleted" else f"{path} was there just so"
    return f"{path} was {done}"
