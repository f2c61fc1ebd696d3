"""The symbol graph in words, from the shapes of `graph_shapes.py`: for terminals and for agents.

An answer is a list of sections. Each knows which list of its shape it tells, so that what had no
room can be cut off the data too. Nothing here is cleaned of control characters: who prints it
does that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paparatsd.interfaces.graph_phrases import (
    AGENT,
    FILE,
    Item,
    Section,
    Voice,
    edge_line,
    first_line,
    items_in_files,
    joined,
    line_ranges,
    place_of,
    places_in_files,
    relation_of,
    rows_of,
    signature_of,
    span_of,
    symbol_line,
    tags_of,
)
from paparatsd.interfaces.history_words import change_line, counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Shape = Mapping[str, Any]

WIDELY = "used widely"
MAX_TESTS = 8
MAX_IMPORTS = 12
MAX_FOLDERS = 20
MAX_SERVICES = 15
SIDES = {"incoming": "used by", "outgoing": "uses"}
MAX_BARE = 20
"""Files without symbols in one line of an outline."""
UNSEEN = "uses through strings, reflection or other repositories cannot be seen"


def usages_sections(shape: Shape, voice: Voice = AGENT) -> list[Section]:
    """Tell users and used of every symbol that was meant; those of overloads once."""
    sections = []
    before: dict[tuple[str, str], str] = {}
    for number, found in enumerate(shape["found"]):
        symbol = found["symbol"]
        head = [symbol_line(symbol, voice)]
        if symbol["signature"]:
            head.append(signature_of(symbol))
        for name in ("incoming", "outgoing"):
            side = found[name]
            if side is None:
                continue
            part = ("found", number, name, "edges")
            same = before.setdefault((name, repr(side["edges"])), symbol["address"])
            if side["edges"] and same != symbol["address"]:
                count = counted(side["total"], "symbol")
                again = f"{SIDES[name]} the same {count} as {voice.show(same)}"
                sections.append(Section((*head, again), (), part))
                head = []
                continue
            used = symbol["name"] if name == "incoming" else ""
            items = items_in_files(side["edges"], _edge_sayer(used, voice), voice)
            sections.append(Section((*head, _side_head(name, side)), items, part))
            head = []
    return sections


def _edge_sayer(used: str, voice: Voice) -> Callable[[Shape, str], str]:
    """Return what says an edge to `used`, or to its other end."""

    def say(edge: Shape, place: str) -> str:
        return edge_line(edge, used or edge["symbol"]["name"], voice, place)

    return say


def _side_head(name: str, side: Shape) -> str:
    verb = SIDES[name]
    if not side["total"]:
        return f"{verb} nothing that is indexed" + (f"; {UNSEEN}" if name == "incoming" else "")
    if not side["edges"]:
        return f"{verb} {counted(side['total'], 'symbol')}, none of them on this page"
    least = "at least " if side["capped"] else ""
    return f"{verb} {least}{counted(side['total'], 'symbol')}:"


def usages_more(shape: Shape) -> list[tuple[str, int, int]]:
    """Return for each side that goes on: its direction, the next offset, how many are left.

    Empty when several symbols were meant: an offset counts in each of them.
    """
    if len(shape["found"]) != 1:
        return []
    sides = [(name, shape["found"][0][name]) for name in ("incoming", "outgoing")]
    return [
        (name, side["more"], side["total"] - side["more"])
        for name, side in sides
        if side is not None and side["more"] is not None
    ]


def goes_on_elsewhere(shape: Shape) -> bool:
    """Say whether one of several symbols has more users than are told here."""
    sides = [found[name] for found in shape["found"] for name in ("incoming", "outgoing")]
    return len(shape["found"]) > 1 and any(side and side["more"] is not None for side in sides)


def definition_sections(shape: Shape, voice: Voice = AGENT) -> list[Section]:
    """Tell where something is defined."""
    items = []
    for found in shape["found"]:
        symbol = found["symbol"]
        doubt = f"({found['certainty']})" if found["certainty"] != "exact" else ""
        note = f"({found['note']})" if found["note"] else ""
        lines = [voice.bullet + joined(symbol_line(symbol, voice), doubt, note)]
        signature = "" if symbol["kind"] == FILE else signature_of(symbol)
        about = (signature, first_line(symbol["doc"]))
        lines += [f"{voice.under}{text}" for text in about if text]
        items.append(Item(tuple(lines)))
    left = shape["total"] - len(items)
    head = (f"{counted(shape['total'], 'definition')}, the {len(items)} likeliest:",)
    return [Section(head if left > 0 else (), tuple(items), ("found",))]


def outline_title(shape: Shape) -> str:
    """Return what is outlined."""
    where = f"{shape['project']}:{shape['path']}" if shape["path"] else str(shape["project"])
    if len(shape["files"]) == 1 and shape["files"][0]["path"] == shape["path"]:
        return where
    return f"{where} ({counted(shape['total_files'], 'file')})"


def folders_line(shape: Shape) -> str:
    """Return the folders of a directory with their files; "" when there are none."""
    folders = list(shape["folders"].items())
    if not folders:
        return ""
    said = [f"{name}/ {number}" for name, number in folders[:MAX_FOLDERS]]
    more = [f"{len(folders) - MAX_FOLDERS} more"] if len(folders) > MAX_FOLDERS else []
    return f"folders, with their files: {', '.join([*said, *more])}"


def outline_runs(files: Iterable[Shape]) -> Iterator[list[Shape]]:
    """Yield files one by one, but those of a folder together that have nothing to outline."""
    run: list[Shape] = []
    for file in files:
        bare = not (file["entries"] or file["imports"] or file["hidden"])
        if run and not (bare and len(run) < MAX_BARE and _folder_of(run[0]) == _folder_of(file)):
            yield run
            run = []
        if bare:
            run.append(file)
        else:
            yield [file]
    if run:
        yield run


def _folder_of(file: Shape) -> str:
    return str(file["path"]).rpartition("/")[0]


def bare_line(run: Sequence[Shape]) -> str:
    """Return one line for files of a folder that have nothing to outline."""
    first, *rest = run
    names = [str(one["path"]).rpartition("/")[2] for one in rest]
    return f"{', '.join([first['path'], *names])} (no symbols)"


def outline_lines(file: Shape) -> tuple[str, list[str], list[str]]:
    """Return of one file's outline the head, remarks, and a line for each symbol."""
    about = ", ".join(filter(None, (file["language"], counted(file["lines"], "line"))))
    remarks = []
    if file["imports"]:
        left = len(file["imports"]) - MAX_IMPORTS
        more = f" and {left} more" if left > 0 else ""
        remarks.append(f"  imports {', '.join(file['imports'][:MAX_IMPORTS])}{more}")
    entries = [
        f"  {'  ' * one['depth']}{rows_of(one['symbol'])} {signature_of(one['symbol'])}"
        for one in file["entries"]
    ]
    return f"{file['path']} ({about})", remarks, entries


def hidden_line(hidden: int) -> str:
    """Return how many symbols of a file are not shown."""
    return f"  and {counted(hidden, 'more symbol')}: deeper, private, or without room here"


def path_sections(shape: Shape, voice: Voice = AGENT) -> list[Section]:
    """Tell how one symbol comes to call another."""
    items = []
    for path in shape["paths"]:
        first, *_ = path["symbols"]
        lines = [f"{voice.bullet}{place_of(first, voice.show)}"]
        lines += [
            f"  {'  ' * depth}{_step(edge, voice)}" for depth, edge in enumerate(path["edges"], 1)
        ]
        items.append(Item(tuple(lines)))
    return [Section((), tuple(items), ("paths",))]


def _step(edge: Shape, voice: Voice) -> str:
    where = line_ranges(edge["lines"])
    tail = f"({edge['note']})" if edge["note"] else ""
    cross = tags_of(("other project", edge["cross"]))
    return joined(f"{where} {relation_of(edge)}", place_of(edge["symbol"], voice.show), cross, tail)


def no_path_line(max_hops: int) -> str:
    """Return that no chain was found, and what that is worth."""
    return f"no chain of up to {counted(max_hops, 'call')} is known; {UNSEEN}"


def ends_line(shape: Shape) -> str:
    """Return between which symbols chains were looked for."""
    source, target = (
        " or ".join(place_of(one) for one in shape[end]) for end in ("source", "target")
    )
    return f"from {source} to {target}"


def impact_sections(shape: Shape, voice: Voice = AGENT) -> list[Section]:
    """Tell what depends on something: seeds, where, what, and the tests."""
    seeds = [
        Item(
            (
                voice.bullet + symbol_line(one["symbol"], voice),
                *_changed_lines(one["last_change"], voice),
            )
        )
        for one in shape["seeds"]
    ]
    services = [
        Item((f"{voice.bullet}{_folder(one)}  {counted(one['symbols'], 'symbol')}",))
        for one in shape["services"][:MAX_SERVICES]
    ]
    several = len(shape["seeds"]) > 1
    return [
        Section(("if this changes:",), tuple(seeds), ("seeds",), 2),
        Section(("users are in:",), tuple(services), ("services",)),
        *(
            Section((head,), _affected_items(shape[name], several, voice), (name,), weight)
            for name, head, weight in (
                ("affected", "it may break:", 4),
                ("tests", "tests that reach it:", 2),
            )
        ),
    ]


def _folder(service: Shape) -> str:
    folder, name = service["folder"], service["service"]
    where = f"{service['project']}:{folder}/" if folder else f"{service['project']}, top folder"
    return f"{where} of {name}" if name else where


def _changed_lines(change: Shape | None, voice: Voice) -> tuple[str, ...]:
    return () if change is None else (f"{voice.under}{change_line(change)}",)


def _affected_items(affected: Sequence[Shape], several: bool, voice: Voice) -> tuple[Item, ...]:
    def say(one: Shape, place: str) -> str:
        return _affected_line(one, several, voice, place)

    return items_in_files(affected, say, voice)


def _affected_line(one: Shape, several: bool, voice: Voice, place: str) -> str:
    via = str(one["via"]).partition("#")[2] or one["via"]
    through = f"through {via}" if one["hop"] > 1 or several else ""
    return joined(
        f"hop {one['hop']}",
        f"{relation_of(one):<{voice.pad}}",
        f"{place}  {line_ranges(one['lines'])}",
        tags_of(("hub", one["symbol"]["hub"]), ("other project", one["cross"])),
        through,
    )


def impact_line(shape: Shape) -> str:
    """Return how much depends on it in one line."""
    if not shape["seeds"]:
        return "nothing was found that could change"
    if not shape["total"]:
        return f"nothing that is indexed depends on it; {UNSEEN}"
    listed = len(shape["affected"]) + len(shape["tests"])
    tests = sum(one["symbol"]["test"] for one in shape["tests"])
    least = "at least " if shape["capped"] else ""
    if listed < shape["total"]:
        found = f"{listed} are listed, {counted(tests, 'test')} among them"
        return f"{least}{_dependents(shape['total'])}; {found}"
    found = f"{counted(tests, 'test')} among them"
    return f"{least}{_dependents(shape['total'])}, {found}"


def _dependents(total: int) -> str:
    return f"{counted(total, 'symbol')} {'depends' if total == 1 else 'depend'} on it"


def changed_sections(shape: Shape, voice: Voice = AGENT) -> list[Section]:
    """Tell which symbols a change touches."""
    items = tuple(_changed_item(one, voice) for one in shape["symbols"])
    return [Section((), items, ("symbols",))]


def _changed_item(one: Shape, voice: Voice) -> Item:
    symbol = one["symbol"]
    was = f"(was {one['before']})" if one["before"] else ""
    lines = line_ranges(one["lines"])
    first = joined(one["change"], symbol["kind"], place_of(symbol, voice.show), lines, was)
    rest = [voice.under + edge_line(edge, symbol["name"], voice) for edge in one["callers"]]
    left = one["callers_total"] - len(one["callers"])
    if left > 0:
        rest.append(f"{voice.under}and {counted(left, 'more user')}")
    if one["tests"]:
        said = places_in_files(one["tests"][:MAX_TESTS], voice)
        more = len(one["tests"]) - MAX_TESTS
        rest.append(f"{voice.under}tests: {said}" + (f" and {more} more" if more > 0 else ""))
    return Item((voice.bullet + first, *rest))


def changed_line(shape: Shape) -> str:
    """Return how much a change touches in one line."""
    what = shape["against"] or "changes"
    if not shape["total"]:
        return f"{what}: no symbol is touched in {counted(shape['files'], 'changed file')}"
    return f"{what}: {counted(shape['total'], 'symbol')} in {counted(shape['files'], 'file')}"


def unused_sections(shape: Shape, voice: Voice = AGENT) -> list[Section]:
    """Tell what nothing seems to use, with the doubts about it."""

    def say(one: Shape, place: str) -> str:
        doubts = f"(but {', '.join(one['reasons'])})" if one["reasons"] else ""
        return _surveyed(one, place, doubts)

    return [Section((), items_in_files(shape["found"], say, voice), ("found",))]


def hub_sections(shape: Shape, voice: Voice = AGENT) -> list[Section]:
    """Tell what most is built on, and where programs begin."""

    def say(one: Shape, place: str) -> str:
        return _surveyed(one, place, f" {', '.join(_grounds(one))}")

    return [Section((), items_in_files(shape["found"], say, voice), ("found",))]


def _surveyed(one: Shape, place: str, said: str) -> str:
    symbol = one["symbol"]
    return joined(symbol["kind"], f"{place}  {span_of(symbol)}", said)


def _grounds(one: Shape) -> list[str]:
    """Return why something is in a survey of hubs; that it is used widely is said by a number."""
    users = [f"used in {counted(one['users'], 'file')}"] if one["users"] else []
    return [*users, *(reason for reason in one["reasons"] if reason != WIDELY)]
