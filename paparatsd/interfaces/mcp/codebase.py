"""The toolset of one tool: codebase_search answers about a directory, and indexes it if need be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadQuery, UnknownAddress, UnknownProject
from paparatsd.interfaces import shapes
from paparatsd.interfaces.mcp.codebase_page import (
    CHUNK_LINES,
    FileHits,
    RelatedCode,
    by_file,
    fitting_blocks,
    related_block,
)
from paparatsd.interfaces.mcp.path_filters import MAX_FILTER_CHARS, path_patterns
from paparatsd.interfaces.mcp.reading import read_lines
from paparatsd.interfaces.mcp.reply import LongTool, ToolReply, cleaned, only
from paparatsd.interfaces.mcp.schemas import (
    COUNT,
    ESTIMATE,
    FRESHNESS,
    MAX_QUESTION_CHARS,
    NULLABLE_TEXT,
    TEXT,
    TEXTS,
    ToolSpec,
    flag,
    object_of,
    string,
    whole,
)
from paparatsd.interfaces.mcp.workspaces import INDEXED, WHOLE, open_workspace
from paparatsd.plain_text import one_line
from paparatsd.search.render import EXACT, UNTRUSTED, stale_lines
from paparatsd.search_model import SearchRequest
from paparatsd.tokens import estimate_tokens

if TYPE_CHECKING:
    from paparatsd.interfaces.arguments import Arguments
    from paparatsd.interfaces.mcp.reply import ToolsApi, Waiting
    from paparatsd.interfaces.mcp.workspaces import Workspace
    from paparatsd.search_model import Hit, SearchAnswer

MAX_RESULTS = 50
MAX_DIRECTORY_CHARS = 4_096
MAX_RELATED = 8
CALLERS, CALLEES = ("called_by", "used_by", "extended_by"), ("calls", "extends")

_CODE = object_of(
    {
        "path": string("relative to root"),
        "start_line": COUNT,
        "end_line": COUNT,
        "symbol": NULLABLE_TEXT,
        "kind": TEXT,
        "language": TEXT,
        "score": {"type": "number"},
        "confidence": {"type": "string", "enum": ["high", "partial", "low"]},
    },
    ("path", "start_line", "end_line", "symbol"),
)
_RELATED = object_of(
    {
        "relation": {"type": "string", "enum": ["caller", "callee"]},
        "certain": {"type": "boolean"},
        "path": TEXT,
        "start_line": COUNT,
        "end_line": COUNT,
        "symbol": NULLABLE_TEXT,
    },
    ("relation", "path", "start_line", "end_line"),
)
_SPEC = ToolSpec(
    name="codebase_search",
    title="Search a code base",
    description=(
        "Find code in a directory by meaning, by name, or by a question about callers, tests, "
        "documents or settings. The first call for a directory indexes it, later ones see every "
        "file as it is on disk now. Call this before you list, grep or open files."
    ),
    input_schema=object_of(
        {
            "information_request": string(
                "What to find, in plain words or as an identifier",
                minLength=1,
                maxLength=MAX_QUESTION_CHARS,
            ),
            "directory_path": string(
                "Absolute path of the code base, or of a folder in it",
                minLength=1,
                maxLength=MAX_DIRECTORY_CHARS,
            ),
            "top_n": whole("How many results; 0 for the usual number", 0, MAX_RESULTS, 0),
            "path_filter": string(
                "Only paths with this in them, in any case, or that fit this glob (*, ?, [)",
                maxLength=MAX_FILTER_CHARS,
                default="",
            ),
            "include_related": flag("Also show callers and callees of the results", default=True),
        },
        ("information_request", "directory_path"),
        closed=True,
    ),
    output_schema=object_of(
        {
            "root": string("the directory that paths are relative to"),
            "project": TEXT,
            "results": {"type": "array", "items": _CODE},
            "related": {"type": "array", "items": _RELATED},
            "freshness": {"type": "array", "items": FRESHNESS},
            "notes": TEXTS,
            "tokens": ESTIMATE,
        },
        ("root", "project", "results", "related", "freshness", "notes", "tokens"),
    ),
)
_CODE_MEMBERS = tuple(_CODE["properties"])


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a call asks for; `top_n` is 0 for the usual number."""

    question: str
    directory: str
    top_n: int
    path_filter: str
    related: bool


async def _codebase_search(service: ToolsApi, arguments: Arguments, waiting: Waiting) -> ToolReply:
    asked = _Asked(
        question=arguments.text("information_request", max_chars=MAX_QUESTION_CHARS),
        directory=arguments.text("directory_path", max_chars=MAX_DIRECTORY_CHARS),
        top_n=arguments.number("top_n", default=0, low=0, high=MAX_RESULTS),
        path_filter=arguments.optional_text("path_filter", max_chars=MAX_FILTER_CHARS) or "",
        related=arguments.flag("include_related", default=True),
    )
    arguments.finish()
    workspace, told = await open_workspace(service, asked.directory, waiting)
    await waiting.report(INDEXED, "searching", WHOLE)
    limit = asked.top_n or service.top_n
    answer = await _search(service, asked, workspace, limit)
    files = by_file(answer.hits, limit)
    files = await _with_whole_symbols(service, files)
    related = await _related(service, answer, files) if asked.related else ()
    await waiting.report(WHOLE, "done", WHOLE)
    notes = tuple(filter(None, (told, *answer.notes)))
    return _reply(asked, workspace, replace(answer, notes=notes), files, related)


async def _search(
    service: ToolsApi, asked: _Asked, workspace: Workspace, limit: int
) -> SearchAnswer:
    request = SearchRequest(
        query=asked.question,
        limit=limit,
        projects=(workspace.project.name,),
        paths=path_patterns(asked.path_filter, workspace.project.root, workspace.folder),
        fresh=True,
        related=asked.related,
    )
    try:
        return await service.search(request)
    except UnknownProject:
        raise BadQuery(f"{workspace.project.root} was removed from the index meanwhile") from None


async def _with_whole_symbols(
    service: ToolsApi, files: tuple[FileHits, ...]
) -> tuple[FileHits, ...]:
    """Return the hits with as much of a longer symbol as is shown of one hit."""
    found: list[FileHits] = []
    for file in files:
        hits = [await _longer(service, hit) for hit in file.hits]
        found.append(replace(file, hits=tuple(hits)))
    return tuple(found)


async def _longer(service: ToolsApi, hit: Hit) -> Hit:
    last = min(hit.symbol_end or 0, hit.start_line + CHUNK_LINES - 1)
    if last <= hit.end_line:
        return hit
    try:
        rest, _ = await read_lines(service, hit.project, hit.path, hit.end_line + 1, last)
    except (UnknownAddress, UnknownProject):
        return hit
    if min(rest, default=0) != hit.end_line + 1:
        return hit
    text = "\n".join([hit.text.rstrip("\n"), *rest.values()])
    return replace(hit, text=text, end_line=max(rest))


async def _related(
    service: ToolsApi, answer: SearchAnswer, files: tuple[FileHits, ...]
) -> tuple[RelatedCode, ...]:
    """Return what calls the hits and what they call, of better hits first, callers first."""
    shown = {hit.address for file in files for hit in file.hits}
    wanted: dict[str, tuple[str, bool]] = {}
    for hit in answer.hits:
        if hit.address not in shown:
            continue
        for relations, word in ((CALLERS, "caller"), (CALLEES, "callee")):
            for one in hit.related or ():
                if one.relation in relations and one.address not in shown:
                    wanted.setdefault(one.address, (word, one.certainty == EXACT))
    found: list[RelatedCode] = []
    for address, (word, certain) in wanted.items():
        if len(found) == MAX_RELATED:
            break
        try:
            view = await service.show(address, 0)
        except (UnknownAddress, UnknownProject):
            continue
        if not any(_is_shown(view.target, file) for file in files):
            found.append(RelatedCode(word, certain, view.target))
    return tuple(found)


def _is_shown(hit: Hit, file: FileHits) -> bool:
    return hit.path == file.path and any(
        one.start_line <= hit.start_line and hit.end_line <= one.end_line for one in file.hits
    )


def _reply(
    asked: _Asked,
    workspace: Workspace,
    answer: SearchAnswer,
    files: tuple[FileHits, ...],
    related: tuple[RelatedCode, ...],
) -> ToolReply:
    root = workspace.project.root
    where = f"{root}/{workspace.folder}" if workspace.folder else root
    head = [*map(one_line, answer.notes), *stale_lines(answer.freshness)]
    if files:
        count = sum(len(file.hits) for file in files)
        noun = "result" if count == 1 else "results"
        head.append(f"{count} {noun} for {one_line(asked.question)!r}; paths are below {root}.")
        head.append(UNTRUSTED)
    else:
        head.append(_nothing(asked, where))
    blocks = fitting_blocks(files)
    if related:
        blocks.append("## Related by calls")
        blocks += map(related_block, related)
    text = "\n\n".join(["\n".join(head), *blocks])
    return ToolReply(text, _data(workspace, answer, files, related, text))


def _nothing(asked: _Asked, where: str) -> str:
    inside = f" on paths that fit {asked.path_filter!r}" if asked.path_filter else ""
    return f"Nothing found for {one_line(asked.question)!r} in {where}{inside}. Try other words" + (
        ", or without path_filter." if asked.path_filter else "."
    )


def _data(
    workspace: Workspace,
    answer: SearchAnswer,
    files: tuple[FileHits, ...],
    related: tuple[RelatedCode, ...],
    text: str,
) -> dict[str, Any]:
    shape = shapes.answer_json(replace(answer, hits=()), None)
    hits = [only(shapes.hit_json(hit), _CODE_MEMBERS) for file in files for hit in file.hits]
    beside = [
        {
            "relation": one.relation,
            "certain": one.certain,
            "path": one.hit.path,
            "start_line": one.hit.start_line,
            "end_line": one.hit.end_line,
            "symbol": one.hit.symbol,
        }
        for one in related
    ]
    data = {
        "root": workspace.project.root,
        "project": workspace.project.name,
        "results": cleaned(hits),
        "related": cleaned(beside),
        "tokens": estimate_tokens(text),
    }
    return {**data, **only(shape, ("freshness", "notes"))}


CODEBASE_SEARCH = LongTool(_SPEC, _codebase_search)
CODEBASE = (CODEBASE_SEARCH,)
