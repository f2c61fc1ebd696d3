"""Who may see a document: its label in force, and which labels a question may be answered from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def label_in_force(written: str, default: str) -> str:
    """Return a document's label: its own, else its project's ("" when that is not known yet)."""
    return written or default


def permitted(asked: Iterable[str], *ceilings: Iterable[str] | None) -> frozenset[str] | None:
    """Return the labels that may be shown, None for any.

    `asked`: labels that were asked for, none for no restriction. Each ceiling is a set of labels
    that nothing else passes, None for no ceiling; an empty one lets nothing through. Blank labels
    say nothing.
    """
    labels = _labels(asked) or None
    for ceiling in ceilings:
        if ceiling is not None:
            allowed = _labels(ceiling)
            labels = allowed if labels is None else labels & allowed
    return labels


def _labels(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(label for text in texts if (label := text.strip()))
