"""Why a hit stands where it stands: its features, their shares of the score, its confidence."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from paparatsd.search.meanings import meaning

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paparatsd.search_model import Hit, Reranked

MOST_SHOWN = 12
"""Features written out in a table; the rest is one line with its sum."""
_COLUMNS = "  {share:>7} {value:>7} {weight:>7}  "


def explanation(hit: Hit) -> dict[str, Any]:
    """Return what made a hit's score and confidence, JSON-ready.

    `features`: [{name, share, value, weight}], largest share first; share = value * weight; value
    and weight are null when only the share is known. `score` is the sum of the shares: only
    differences between the hits of one answer mean something. `confidence`: the shown score, its
    label, and `grounds`, the numbers that it was computed from. `reranked`, where a reranker was
    asked: its score, the floor of that reranker (null: not known), and the place in our order.
    """
    shares = sorted(hit.signals.items(), key=lambda item: (-abs(item[1]), item[0]))
    reranked = {} if hit.reranked is None else {"reranked": _reranked(hit.reranked)}
    return {
        "score": round(sum(hit.signals.values()), 4),
        "features": [_feature(hit, name, share) for name, share in shares],
        "confidence": {
            "label": hit.confidence.value,
            "score": round(hit.score, 4),
            "grounds": dict(hit.grounds),
        },
        **reranked,
    }


def _reranked(reranked: Reranked) -> dict[str, Any]:
    return {
        "score": round(reranked.score, 4),
        "place": reranked.place,
        "floor": reranked.floor,
    }


def _feature(hit: Hit, name: str, share: float) -> dict[str, Any]:
    value = hit.values.get(name)
    weight = round(share / value, 4) if value else None
    rounded = None if value is None else round(value, 4)
    return {"name": name, "share": share, "value": rounded, "weight": weight}


def meanings_of(explanations: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return what each feature and ground in some explanations means, once for all of them."""
    names: dict[str, None] = {}
    for one in explanations:
        names |= dict.fromkeys(feature["name"] for feature in one["features"])
        names |= dict.fromkeys(one["confidence"]["grounds"])
    return {name: meaning(name) for name in names}


def explanation_lines(one: Mapping[str, Any], width: int | None = None) -> list[str]:
    """Write an explanation as a table, broken at `width` columns; the words stay below each other.

    What a feature means stands beside it, so that a table can be read on its own.
    """
    features: Sequence[Mapping[str, Any]] = one["features"]
    lines = ["score: the sum of value x weight; only the order of the sums counts"]
    for feature in features[:MOST_SHOWN]:
        lines += _row(
            f"{feature['share']:+.3f}",
            _number(feature["value"], ".3f"),
            _number(feature["weight"], "+.3f"),
            f"{feature['name']}: {meaning(feature['name'])}",
            width,
        )
    rest = features[MOST_SHOWN:]
    if rest:
        said = f"{len(rest)} more features, each at most {abs(rest[0]['share']):.3f}"
        lines += _row(f"{sum(each['share'] for each in rest):+.3f}", "", "", said, width)
    lines += _row(f"= {one['score']:.3f}", "", "", "sum", width)
    lines += _confidence_lines(one["confidence"], width)
    return [*lines, *_reranked_lines(one.get("reranked"), width)]


def _reranked_lines(reranked: Mapping[str, Any] | None, width: int | None) -> list[str]:
    """Say what a reranker said, on whose score the place among the hits rests."""
    if reranked is None:
        return []
    floor = reranked["floor"]
    said = f"score {reranked['score']:.3f}"
    if floor is not None:
        said += f" ({'below' if reranked['score'] < floor else 'at least'} its floor of {floor:g})"
    return _wrapped("reranker: ", f"{said}; place {reranked['place']} in our own order", width)


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def _row(share: str, value: str, weight: str, words: str, width: int | None) -> list[str]:
    head = _COLUMNS.format(share=share, value=value, weight=weight)
    return _wrapped(head, words, width)


def _wrapped(head: str, words: str, width: int | None) -> list[str]:
    if width is None or width < len(head) + 20:
        return [head + words]
    return textwrap.wrap(
        words, width, initial_indent=head, subsequent_indent=" " * len(head), break_long_words=False
    )


def _confidence_lines(confidence: Mapping[str, Any], width: int | None) -> list[str]:
    """Say how the shown confidence came about: a product of two chances, and what they rest on."""
    grounds: Mapping[str, float] = confidence["grounds"]
    said = f"{confidence['label']}, {confidence['score']:.2f}"
    chances = [name for name in ("answerable", "this_one") if name in grounds]
    if len(chances) == 2:
        product = " x ".join(f"{grounds[name]:.2f} ({meaning(name)})" for name in chances)
        said += f" = {product}"
    lines = _wrapped("confidence: ", said, width)
    for name, value in grounds.items():
        if name not in chances:
            lines += _row(f"{value:.3f}", "", "", f"{name}: {meaning(name)}", width)
    return lines
