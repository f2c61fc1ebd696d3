"""A parsed text: its definitions, uses and comments, and the spans it is cut into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.chunks.captures import run_query
from paparatsd.chunks.comments import comment_rows, find_leads
from paparatsd.chunks.facts import Bound, build_facts
from paparatsd.chunks.grammar import Part, load_grammar
from paparatsd.chunks.split import Extent, Splitter
from paparatsd.chunks.symbols import VALUES, Definition, Reader, build_definitions, build_uses
from paparatsd.chunks.textmap import char_offsets, encode
from paparatsd.chunks.tree import MAX_ERROR_SHARE, error_share, parse_tree, without_export_macros

if TYPE_CHECKING:
    from paparatsd.chunks.limits import ChunkLimits
    from paparatsd.chunks.textmap import Span, TextMap
    from paparatsd.chunks.tree import Deadline
    from paparatsd.model import Fact, Use


class TooManyErrors(Exception):
    """The grammar does not understand the text; the caller falls back to windows."""


@dataclass(frozen=True, slots=True)
class Structure:
    """What the grammar and its query know of a text.

    `chars` holds the character offset at which each definition begins.
    """

    definitions: list[Definition]
    uses: tuple[Use, ...]
    facts: tuple[Fact, ...]
    comments: tuple[tuple[int, int, str], ...]
    spans: list[Span]
    chars: list[int]


def read_structure(
    language: str,
    source: TextMap,
    limits: ChunkLimits,
    deadline: Deadline,
    *,
    regions: list[tuple[int, int]] | None = None,
) -> Structure:
    """Parse a text as `language` and cut it along its tree: all of it, or the rows of `regions`.

    Raises LookupError without a grammar, DeadlinePassed and TooManyErrors.
    """
    grammar = load_grammar(language)
    data = encode(source.text)
    tree = parse_tree(grammar, without_export_macros(data) if language == "cpp" else data, deadline)
    share = error_share(tree, len(data), deadline)
    if share > MAX_ERROR_SHARE:
        raise TooManyErrors(f"{share:.0%} of the text does not parse as {language}")
    root = tree.root_node
    captures = run_query(grammar, root, deadline)
    comments = captures.nodes(Part.COMMENT)
    leads = find_leads(source, comments, captures.nodes(Part.ATTRIBUTE))
    reader = Reader(data, language, leads, deadline)
    definitions = build_definitions(captures, reader)
    facts = build_facts(captures, reader, definitions)
    uses = build_uses(captures, reader, Bound(facts, definitions))
    extents = tuple(Extent(d.lead, d.last, d.kind in VALUES) for d in definitions)
    splitter = Splitter(source, limits, leads, extents, deadline)
    regions = [(0, len(source.lines) - 1)] if regions is None else regions
    spans = [span for first, last in regions for span in splitter.split(root, first, last)]
    starts = [d.start_byte for d in definitions]
    chars = starts if len(data) == len(source.text) else char_offsets(data, starts)
    texts = comment_rows(source, data, [*comments, *captures.nodes(Part.DOCSTRING)])
    return Structure(definitions, uses, facts, texts, spans, chars)
