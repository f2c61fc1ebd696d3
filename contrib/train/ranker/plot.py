"""Calibration as a picture: how often what was predicted with some probability is true."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contrib.train.ranker.reliability import Bin

SIDE = 240
"""Length of the axes of one panel, in pixels."""
LEFT, TOP, GAP, FOOT = 58, 64, 76, 72
INK, FAINT, LINE = "#24292f", "#d0d7de", "#0969da"
FONT = "font-family='system-ui, sans-serif'"
SMALLEST, LARGEST = 2.5, 11.0


@dataclass(frozen=True)
class Panel:
    """One diagram. `marks`: thresholds on the horizontal axis, with what they are called."""

    title: str
    under: str
    across: str
    up: str
    bins: Sequence[Bin]
    marks: Sequence[tuple[float, str]] = ()


def draw(panels: Sequence[Panel], title: str) -> str:
    """Return the panels side by side as an SVG document."""
    width = LEFT + len(panels) * SIDE + (len(panels) - 1) * GAP + 24
    height = TOP + SIDE + FOOT
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' "
        f"width='{width}' height='{height}' role='img' aria-label='{escape(title)}'>",
        f"<title>{escape(title)}</title>",
        f"<rect width='{width}' height='{height}' fill='#ffffff'/>",
    ]
    for number, panel in enumerate(panels):
        parts += _panel(panel, LEFT + number * (SIDE + GAP))
    return "\n".join([*parts, "</svg>", ""])


def _panel(panel: Panel, left: int) -> list[str]:
    bottom = TOP + SIDE
    middle = left + SIDE / 2
    parts = [
        _text(left, TOP - 32, panel.title, size=14, weight="600"),
        _text(left, TOP - 14, panel.under, size=11, fill="#57606a"),
    ]
    for step in range(6):
        value = step / 5
        x, y = left + value * SIDE, bottom - value * SIDE
        parts.append(_line(left, y, left + SIDE, y, FAINT))
        parts.append(_line(x, TOP, x, bottom, FAINT))
        parts.append(_text(left - 8, y + 4, f"{value:.1f}", anchor="end"))
        parts.append(_text(x, bottom + 16, f"{value:.1f}", anchor="middle"))
    parts.append(_line(left, bottom, left + SIDE, TOP, "#8c959f", dash="4 4"))
    for value, name in panel.marks:
        x = left + value * SIDE
        parts.append(_line(x, TOP, x, bottom, "#bc4c00", dash="2 3"))
        parts.append(_text(x + 3, bottom - 8, name, size=10, fill="#bc4c00"))
    parts += _curve(panel.bins, left, bottom)
    parts.append(_text(middle, bottom + 38, panel.across, anchor="middle", size=12))
    x, y = left - 40, TOP + SIDE / 2
    parts.append(
        _text(x, y, panel.up, anchor="middle", size=12, more=f" transform='rotate(-90 {x} {y})'")
    )
    said = "a dot's area is its share of the questions"
    parts.append(_text(middle, bottom + 56, said, anchor="middle", size=10, fill="#57606a"))
    return parts


def _curve(bins: Sequence[Bin], left: int, bottom: int) -> list[str]:
    points = [(left + one.predicted * SIDE, bottom - one.true * SIDE) for one in bins]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    most = max((one.count for one in bins), default=1)
    parts = [f"<polyline points='{path}' fill='none' stroke='{LINE}' stroke-width='1.5'/>"]
    for (x, y), one in zip(points, bins, strict=True):
        radius = max(SMALLEST, LARGEST * (one.count / most) ** 0.5)
        parts.append(
            f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{radius:.1f}' fill='{LINE}' "
            f"fill-opacity='0.55'><title>predicted {one.predicted:.2f}, true {one.true:.2f}, "
            f"{one.count:.0f} questions</title></circle>"
        )
    return parts


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, *, dash: str = "") -> str:
    dashes = f" stroke-dasharray='{dash}'" if dash else ""
    return (
        f"<line x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}' "
        f"stroke='{colour}' stroke-width='1'{dashes}/>"
    )


def _text(
    x: float,
    y: float,
    words: str,
    *,
    size: int = 11,
    anchor: str = "start",
    fill: str = INK,
    weight: str = "400",
    more: str = "",
) -> str:
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' {FONT} font-size='{size}' font-weight='{weight}' "
        f"text-anchor='{anchor}' fill='{fill}'{more}>{escape(words)}</text>"
    )
