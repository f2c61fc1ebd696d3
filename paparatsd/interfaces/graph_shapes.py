"""Answers about the symbol graph as JSON: the one place that fixes their outside spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paparatsd.interfaces.history_shapes import last_change_json
from paparatsd.interfaces.place_shapes import place_json
from paparatsd.interfaces.shapes import ending_json

if TYPE_CHECKING:
    from paparatsd.graph_model import (
        Affected,
        CallPath,
        ChangedAnswer,
        ChangedSymbol,
        DefinitionAnswer,
        Edge,
        ImpactAnswer,
        OutlineAnswer,
        OutlineFile,
        PathsAnswer,
        Side,
        SurveyAnswer,
        SymbolRef,
        UsagesAnswer,
    )


def symbol_json(symbol: SymbolRef) -> dict[str, Any]:
    """Return one definition, or the top level of a file."""
    return {
        **place_json(symbol),
        "kind": symbol.kind,
        "name": symbol.qualified,
        "language": symbol.language,
        "signature": symbol.signature,
        "doc": symbol.doc,
        "exported": symbol.exported,
        "test": symbol.test,
        "hub": symbol.hub,
    }


def edge_json(edge: Edge) -> dict[str, Any]:
    """Return one use, with the other end; `written` is the name as it stands there."""
    return {
        "relation": edge.relation.value,
        "certainty": edge.certainty.value,
        "symbol": symbol_json(edge.symbol),
        "lines": list(edge.lines),
        "written": edge.name,
        "cross": edge.cross,
        "note": edge.note,
    }


def usages_json(answer: UsagesAnswer) -> dict[str, Any]:
    """Return users and used; a side is null when it was not asked for."""
    return {
        "at": answer.at,
        "found": [
            {
                "symbol": symbol_json(one.symbol),
                "incoming": _side_json(one.incoming),
                "outgoing": _side_json(one.outgoing),
            }
            for one in answer.found
        ],
        "meant": answer.meant,
        **ending_json(answer.freshness, answer.notes),
    }


def _side_json(side: Side | None) -> dict[str, Any] | None:
    if side is None:
        return None
    return {
        "edges": [edge_json(edge) for edge in side.edges],
        "total": side.total,
        "more": side.more,
        "capped": side.capped,
    }


def definition_json(answer: DefinitionAnswer) -> dict[str, Any]:
    """Return definitions; `external` is null unless another package has it."""
    return {
        "at": answer.at,
        "name": answer.name,
        "found": [
            {
                "symbol": symbol_json(one.symbol),
                "certainty": one.certainty.value,
                "note": one.note,
            }
            for one in answer.found
        ],
        "total": answer.total,
        "external": answer.external or None,
        **ending_json(answer.freshness, answer.notes),
    }


def outline_json(answer: OutlineAnswer) -> dict[str, Any]:
    """Return the outline of a file or of a directory's files."""
    return {
        "project": answer.project,
        "path": answer.path,
        "files": [_outline_file_json(file) for file in answer.files],
        "folders": dict(answer.folders),
        "total_files": answer.total_files,
        "next_offset": answer.next_offset,
        **ending_json(answer.freshness, answer.notes),
    }


def _outline_file_json(file: OutlineFile) -> dict[str, Any]:
    return {
        "path": file.path,
        "language": file.language,
        "lines": file.lines,
        "entries": [
            {"depth": one.depth, "symbol": symbol_json(one.symbol)} for one in file.entries
        ],
        "hidden": file.hidden,
        "imports": list(file.imports),
    }


def paths_json(answer: PathsAnswer) -> dict[str, Any]:
    """Return the chains of calls; edge n leads from symbol n to the next."""
    return {
        "source": [symbol_json(one) for one in answer.source],
        "target": [symbol_json(one) for one in answer.target],
        "paths": [_path_json(path) for path in answer.paths],
        **ending_json(answer.freshness, answer.notes),
    }


def _path_json(path: CallPath) -> dict[str, Any]:
    return {
        "symbols": [symbol_json(one) for one in path.symbols],
        "edges": [edge_json(one) for one in path.edges],
    }


def affected_json(affected: Affected) -> dict[str, Any]:
    """Return one symbol that a change may break; `via` is the address of what it uses."""
    return {
        "hop": affected.hop,
        "relation": affected.relation.value,
        "certainty": affected.certainty.value,
        "symbol": symbol_json(affected.symbol),
        "via": affected.via.address,
        "lines": list(affected.lines),
        "written": affected.name,
        "cross": affected.cross,
    }


def impact_json(answer: ImpactAnswer) -> dict[str, Any]:
    """Return what depends on the seeds, each seed with its last change if that is known."""
    changes = {address: last_change_json(one) for address, one in answer.last_changes}
    named = dict(answer.names)
    return {
        "seeds": [
            {"symbol": symbol_json(one), "last_change": changes.get(one.address)}
            for one in answer.seeds
        ],
        "affected": [affected_json(one) for one in answer.affected],
        "tests": [affected_json(one) for one in answer.tests],
        "services": [
            {
                "project": project,
                "folder": folder,
                "symbols": number,
                "service": named.get(project),
            }
            for project, folder, number in answer.services
        ],
        "total": answer.total,
        "capped": answer.capped,
        **ending_json(answer.freshness, answer.notes),
    }


def changed_json(answer: ChangedAnswer) -> dict[str, Any]:
    """Return the symbols that a change touches."""
    return {
        "against": answer.against,
        "symbols": [_changed_symbol_json(one) for one in answer.symbols],
        "files": answer.files,
        "total": answer.total,
        **ending_json(answer.freshness, answer.notes),
    }


def _changed_symbol_json(changed: ChangedSymbol) -> dict[str, Any]:
    return {
        "change": changed.change.value,
        "symbol": symbol_json(changed.symbol),
        "before": changed.before or None,
        "lines": list(changed.lines),
        "callers": [edge_json(one) for one in changed.callers],
        "callers_total": changed.callers_total,
        "tests": [symbol_json(one) for one in changed.tests],
    }


def survey_json(answer: SurveyAnswer) -> dict[str, Any]:
    """Return a page of symbols with the files that use each, and the reasons."""
    return {
        "found": [
            {"symbol": symbol_json(one.symbol), "users": one.users, "reasons": list(one.reasons)}
            for one in answer.found
        ],
        "total": answer.total,
        "next_offset": answer.more,
        **ending_json(answer.freshness, answer.notes),
    }
