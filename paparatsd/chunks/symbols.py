"""Definitions and uses of a file, from what its query captured."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.chunks.comments import clean_doc, doc_above, docs_inside, node_rows
from paparatsd.chunks.grammar import Part
from paparatsd.chunks.import_names import go_package, rust_path, token_receiver
from paparatsd.chunks.languages import LANGUAGES
from paparatsd.chunks.names import (
    MAX_NAME_CHARS,
    NOISE,
    last_part,
    receiver_text,
    short_receiver,
    spelled,
    split_name,
    unquote,
)
from paparatsd.chunks.visibility import is_exported
from paparatsd.model import Use

if TYPE_CHECKING:
    from tree_sitter import Node

    from paparatsd.chunks.captures import Captures, Found, FoundDefinition
    from paparatsd.chunks.comments import Leads
    from paparatsd.chunks.facts import Bound
    from paparatsd.chunks.tree import Deadline

MAX_SYMBOLS = 20_000
MAX_USES = 20_000
MAX_SIGNATURE_CHARS = 400

CONTAINERS = frozenset({"class", "struct", "module", "interface", "trait", "impl", "enum"})
OWNERS = CONTAINERS - {"module"}
VALUES = frozenset({"variable", "constant", "field", "property"})
_SCOPES = {"variable": "var", "locals": "local"}
"""What Terraform's block types are called where their contents are used."""
_WHOLESALE = frozenset({"c", "cpp", "objc", "swift", "dart"})
"""Languages whose imports bind all names of what they import."""
_MEMBER = frozenset({b".", b":"})
_CALLABLE = frozenset({"function", "method", "macro"})
_OF_TYPES = frozenset({"type", "inherit"})
_LITERAL = frozenset("\"'`[{0123456789")
_BODIES = frozenset(
    {
        "body", "block", "function_body", "class_body", "enum_class_body", "enum_body",
        "declaration_list", "field_declaration_list", "template_body", "do_block",
        "compound_statement", "statement_block", "body_statement", "interface_body",
        "object_body", "ordered_field_declaration_list", "enum_variant_list", "enumerator_list",
        "protocol_body", "extension_body", "contract_body", "script_block",
        "annotation_type_body", "union_body", "object_type",
    }
)  # fmt: skip
_WORDS_ONLY = re.compile(rb"[\w\s@]*")
_COMMENT_LINE = re.compile(r"\n[ \t]*(?:#(?![\[a-z])|//|--)[^\n]*")
_SELECTORS = re.compile(r"\.(?:\{.*|[_*])$")
_SPACE = re.compile(r"\s+")
_TAIL = re.compile(r"(?:[\s{=:]|=>|\bdo)+$")
_TAIL_ENDS = frozenset("{=:>o")
"""How a signature ends that has such a tail, its spaces left out."""
_MAX_NAME_BYTES = 4 * MAX_NAME_CHARS
_SHORT = 80
"""Bytes of what is worth remembering."""


@dataclass(slots=True)
class Definition:
    """A symbol while its file is being put together; rows are 0-based.

    `hidden` ones name chunks but are no symbols of the file (keys of data files).
    """

    name: str
    qualified: str
    kind: str
    first: int
    last: int
    start_byte: int
    end_byte: int
    signature: str
    doc: str
    parent: int
    exported: bool
    lead: int
    """Row where the comments and attributes above it begin."""

    @property
    def container(self) -> bool:
        """Whether others are defined inside it as its members."""
        return self.kind in CONTAINERS


@dataclass(frozen=True, slots=True)
class Reader:
    """What turning captures into symbols reads: the bytes, the language, the comments."""

    data: bytes
    language: str
    leads: Leads
    deadline: Deadline

    def text(self, start: int, end: int) -> str:
        """Decode a range of bytes."""
        return self.data[start:end].decode("utf-8", "replace")


def build_definitions(captures: Captures, reader: Reader) -> list[Definition]:
    """Nest, name and describe the definitions found, in file order."""
    found = sorted(
        (d for start, d in captures.definitions.items() if not _is_import(captures, start)),
        key=lambda d: (d.node.start_byte, -d.end.end_byte, d.name.start_byte),
    )
    merges = LANGUAGES[reader.language].merges_clauses
    built: list[Definition] = []
    stack: list[int] = []
    for item in found:
        if len(built) >= MAX_SYMBOLS:
            break
        if len(built) % 256 == 0:
            reader.deadline.check()
        start, end = item.node.start_byte, max(item.end.end_byte, item.node.end_byte)
        while stack and not _encloses(built[stack[-1]], start, end):
            stack.pop()
        parent = stack[-1] if stack else -1
        made = _define(item, built, parent, reader)
        if made is None:
            continue
        previous = _clause_before(built, made) if merges else -1
        if previous >= 0:
            built[previous].last, built[previous].end_byte = made.last, made.end_byte
            stack.append(previous)
            continue
        built.append(made)
        stack.append(len(built) - 1)
    _add_docstrings(built, captures, reader)
    return built


def _is_import(captures: Captures, start: int) -> bool:
    """Say whether a name is bound by an import, as in `const x = require("x")`."""
    use = captures.uses.get(start)
    return use is not None and use.kind == "import"


def _encloses(outer: Definition, start: int, end: int) -> bool:
    return (
        outer.start_byte <= start
        and end <= outer.end_byte
        and (outer.start_byte < start or end < outer.end_byte)
    )


def _define(
    item: FoundDefinition, built: list[Definition], parent: int, reader: Reader
) -> Definition | None:
    named = split_name(reader.text(item.name.start_byte, item.name.end_byte), item.kind)
    if named is None:
        return None
    owner = built[parent] if parent >= 0 else None
    kind = _kind_inside(item.kind, owner)
    if kind == "" or (owner is not None and kind == "key" and owner.kind == "key"):
        return None
    scope = named.scope
    if item.scope is not None:
        scope = _scope_of(reader.text(item.scope.start_byte, item.scope.end_byte))
        if reader.language == "terraform":
            scope = tuple(_SCOPES.get(part, part) for part in scope)
    if scope and kind == "function" and owner is None and item.scope is not None:
        kind = "method"
    qualified = ".".join([*([owner.qualified] if owner else []), *scope, named.last])
    first, last = node_rows(item.node)
    if item.end is not item.node:
        last = max(last, node_rows(item.end)[1])
    signature = _signature(item, kind, reader)
    return Definition(
        name=named.last,
        qualified=qualified[:400],
        kind=kind,
        first=first,
        last=last,
        start_byte=item.node.start_byte,
        end_byte=max(item.end.end_byte, item.node.end_byte),
        signature=signature,
        doc="" if owner is not None and owner.first == first else doc_above(reader.leads, first),
        parent=parent,
        exported=is_exported(reader.language, signature, named.last, _parent_kind(owner)),
        lead=reader.leads.lead(first),
    )


def _scope_of(text: str) -> tuple[str, ...]:
    outer = split_name(text, "class")
    return () if outer is None else (*outer.scope, outer.last)


def _parent_kind(owner: Definition | None) -> str:
    if owner is None:
        return ""
    # The methods of an implementation of a trait are as visible as the trait.
    return "trait" if owner.kind == "impl" and " for " in owner.signature else owner.kind


def _kind_inside(kind: str, owner: Definition | None) -> str:
    """Adjust a kind to where it stands; "" for what is no symbol there (local variables)."""
    if owner is None:
        return kind
    if owner.kind in OWNERS:
        return {"function": "method", "variable": "field"}.get(kind, kind)
    if kind in VALUES and not owner.container:
        return ""
    return kind


def _clause_before(built: list[Definition], made: Definition) -> int:
    for index in range(len(built) - 1, -1, -1):
        other = built[index]
        if other.parent != made.parent:
            if other.parent < made.parent:
                return -1
            continue
        same = other.name == made.name and other.kind == made.kind and made.kind in _CALLABLE
        return index if same else -1
    return -1


def _signature(item: FoundDefinition, kind: str, reader: Reader) -> str:
    node = item.node
    start = _signature_start(reader.data, node.start_byte)
    body = item.body or _body_of(item)
    limit = start + 4 * MAX_SIGNATURE_CHARS
    if body is not None and body.start_byte > node.start_byte:
        text = reader.text(start, min(body.start_byte, limit))
    else:
        text = reader.text(start, min(node.end_byte, limit))
        text = _first_line(text, whole=kind in _CALLABLE)
    if "\n" in text:
        text = _COMMENT_LINE.sub("", text)
    text = _SPACE.sub(" ", text)[:MAX_SIGNATURE_CHARS].strip()
    return _TAIL.sub("", text) if text[-1:] in _TAIL_ENDS else text


def _first_line(text: str, *, whole: bool) -> str:
    """Return the first line; with `whole` also the lines that close its parentheses."""
    end = text.find("\n")
    while whole and end >= 0 and text.count("(", 0, end) > text.count(")", 0, end):
        end = text.find("\n", end + 1)
    return text if end < 0 else text[:end]


def _body_of(item: FoundDefinition) -> Node | None:
    body = item.node.child_by_field_name("body")
    if body is not None:
        return body
    if item.end is not item.node:
        return item.end
    if item.node.type == "command":  # Groovy: what looks like a body holds the name as well
        return None
    return next((child for child in item.node.children if child.type in _BODIES), None)


def _signature_start(data: bytes, start: int) -> int:
    line = data.rfind(b"\n", max(start - 200, 0), start) + 1
    if line == 0 and start > 200:
        return start
    before = data[line:start]
    if _WORDS_ONLY.fullmatch(before) is None:
        return start
    return line + len(before) - len(before.lstrip())


def _add_docstrings(built: list[Definition], captures: Captures, reader: Reader) -> None:
    starts = [d.start_byte for d in built]
    ends = [d.end_byte for d in built]
    docstrings = captures.nodes(Part.DOCSTRING)
    for index, node in docs_inside(docstrings, starts, ends).items():
        if not built[index].doc:
            built[index].doc = clean_doc(reader.text(node.start_byte, node.end_byte))


def build_uses(captures: Captures, reader: Reader, bound: Bound) -> tuple[Use, ...]:
    """Make the uses in file order; names of definitions and noise are left out.

    So are the values of names that are `bound` around them: parameters and local variables.
    """
    uses: list[Use] = []
    defined = captures.definitions
    for start, found in sorted(captures.uses.items()):
        use = None
        if found.kind == "import":
            use = _import_of(found, reader)
            alone = "target" not in found.others
            if use is not None and uses and _repeats_import(uses[-1], use, alone=alone):
                continue
        elif start not in defined:
            use = _use_of(start, found, reader, bound)
        if use is not None:
            uses.append(use)
            if len(uses) >= MAX_USES:
                break
            if len(uses) % 512 == 0:
                reader.deadline.check()
    return tuple(uses)


def _repeats_import(last: Use, use: Use, *, alone: bool) -> bool:
    """Say whether a module named `alone` was just imported by name on the same line."""
    return (
        use.kind == last.kind == "import"
        and use.line == last.line
        and use.target == last.target
        and ((alone and last_part(use.target) == use.name) or use == last)
    )


def _use_of(start: int, found: Found, reader: Reader, bound: Bound) -> Use | None:
    node, kind, others, _ = found
    end = node.end_byte
    if end - start > _MAX_NAME_BYTES:
        return None
    data = reader.data
    name = spelled(data[start:end])
    if kind == "value":
        if len(others) == 1 and bound.around(start, name):
            return None
        name = name.removeprefix(":")
    if not 1 < len(name) <= MAX_NAME_CHARS or "\n" in name:
        return None
    line = node.start_point[0] + 1
    if "receiver" in others:
        # What holds the name, as `A\B` holds `B`, says before it what the name belongs to.
        holder = others["receiver"][0]
        before = data[holder.start_byte : min(holder.end_byte, start)]
        receiver = short_receiver(before) if len(before) < _SHORT else _receiver_of(before)
    elif reader.language == "rust" and data[start - 1 : start] in _MEMBER:
        receiver = receiver_text(token_receiver(data, start))
    elif "." in name or ":" in name:
        return _split_use(name, kind, line)
    else:
        receiver = ""
    if name in NOISE and not _is_member(kind, receiver):
        return None
    return Use(name, kind, line, receiver)


def _is_member(kind: str, receiver: str) -> bool:
    """Say whether a word of the language is a member here: `z.string()`, but not `"a".length`."""
    return bool(receiver) and kind not in _OF_TYPES and receiver[0] not in _LITERAL


def _receiver_of(text: bytes) -> str:
    return receiver_text(text.decode("utf-8", "replace"))


def _split_use(name: str, kind: str, line: int) -> Use:
    split = split_name(name, kind)
    if split is None or not split.scope:
        return Use(name, kind, line)
    return Use(
        split.last, kind, line, receiver_text(name[: name.rindex(split.last)].rstrip(".:\\"))
    )


def _module_path(text: str) -> str:
    """Reduce a target's text, which may be a whole import statement, to the module's path."""
    text = _SPACE.sub(" ", text).strip()
    if text.startswith("import "):
        text = _SELECTORS.sub("", text.removeprefix("import ")).strip()
    return unquote(text)


def _import_of(found: Found, reader: Reader) -> Use | None:
    name = reader.text(*_ends(found.node))
    line = found.node.start_point[0] + 1
    name = unquote(_SPACE.sub("", name)).strip("<>")
    target = name
    node = found.other("target")
    if node is not None:
        target = _module_path(reader.text(node.start_byte, node.end_byte))
        if reader.language == "php":
            target = f"{target}\\{name}"
            name = last_part(name)
    else:
        name = last_part(name)
    if not name or len(name) > MAX_NAME_CHARS:
        return None
    renamed = found.other("alias")
    alias = "" if renamed is None else reader.text(*_ends(renamed))[:MAX_NAME_CHARS]
    binds = found.binds
    if binds == "every":
        alias, binds = "*", ""
    elif (binds and not alias and reader.language in _WHOLESALE) or alias == ".":
        alias = "*"
    elif reader.language == "go":
        alias = alias or go_package(target)
    elif reader.language == "rust" and not binds:
        name, binds, target, alias = _rust_import(found.node, name, alias, reader)
    alias = "" if alias == name else alias
    if binds == "every":
        binds, alias = "", "*"
    return Use(name, "import", line, binds, target[:400], alias)


def _rust_import(node: Node, name: str, alias: str, reader: Reader) -> tuple[str, str, str, str]:
    """Return what a name in a `use` is called, whether it is a module, its path and local name."""
    path = rust_path(node, reader.text)
    if name == "self":
        return last_part(path), "*", path, alias
    if node.type == "scoped_identifier":
        # The module whose names a wildcard binds; the module itself is called nothing here.
        return name, "*", path + _SPACE.sub("", reader.text(*_ends(node))), "_"
    return name, "", path, alias


def _ends(node: Node) -> tuple[int, int]:
    return node.start_byte, node.end_byte
