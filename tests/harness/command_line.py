"""The commands of `paparats`, with the verbs of those that consist of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.interfaces.cli.parser import build_parser

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator


def commands() -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command that does something: "search", "arch record lesson"."""
    return dict(_below(build_parser(), ""))


def _below(
    parser: argparse.ArgumentParser, before: str
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    choices = [one.choices for one in parser._actions if isinstance(one.choices, dict)]
    if not choices:
        yield before, parser
    for named in choices:
        for name, command in named.items():
            yield from _below(command, f"{before} {name}".strip())
