"""The search systems that are compared, and what each one's weights have seen of the labels."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
OURS, PEER = "paparatsd", "semble-ranked"
PACKAGED = "packaged weights; they have SEEN the labels of the dev half"
HELD_OUT = "weights fitted WITHOUT the repository they rank (cross-validated)"
UNFITTED = "nothing fitted to labels"


class SystemUnusable(Exception):
    """What was named on the command line is not there."""


@dataclass(frozen=True)
class System:
    """One system: an adapter's command, and for ours where each repository's weights are."""

    name: str
    words: tuple[str, ...]
    weights: str
    """In words, for every figure's label."""
    folds: Path | None = None
    """A directory of NAME.json: weights fitted without the repository NAME."""

    def command(self, repo: str) -> list[str]:
        """Return the command for one repository; raises SystemUnusable without its weights."""
        if self.folds is None:
            return list(self.words)
        file = self.folds / f"{repo}.json"
        if not file.is_file():
            raise SystemUnusable(f"{file} is missing: weights that were fitted without {repo}")
        return [*self.words, "--ranker", str(file)]


def our_systems(
    *, folds: Path | None, ranker: Path | None, settings: tuple[str, ...] = ()
) -> list[System]:
    """Return ours with its embedder and without one, with the same kind of weights."""
    words = [sys.executable, str(HERE / "adapter.py")]
    words += [word for pair in settings for word in ("--set", pair)]
    weights = PACKAGED
    if folds is not None:
        weights = f"{HELD_OUT}, from {folds}"
    elif ranker is not None:
        words += ["--ranker", str(ranker)]
        weights = f"weights of {ranker}: whatever those have seen"
    return [
        System(OURS, tuple(words), weights, folds),
        System(f"{OURS}-lexical", (*words, "--lexical"), f"{weights}; words and names only", folds),
    ]


def baselines(semble_python: Path | None) -> list[System]:
    """Return our own baselines, and semble's if there is a Python that has it."""
    folder = HERE / "baselines"
    found = [
        System("bm25-windows", (sys.executable, str(folder / "bm25_windows.py")), UNFITTED),
        System("keywords", (sys.executable, str(folder / "keywords.py")), UNFITTED),
    ]
    if semble_python is not None:
        script = (str(semble_python), str(folder / "semble_bm25.py"))
        rules = "rules written by hand by its authors, who published this benchmark"
        found.append(System("semble-raw", (*script, "raw"), UNFITTED))
        found.append(System(PEER, (*script, "ranked"), rules))
    return found


def foreign_system(text: str) -> System:
    """Return the system of NAME=COMMAND; raises SystemUnusable when it is written otherwise."""
    name, equals, command = text.partition("=")
    if not (name and equals and command.strip()):
        raise SystemUnusable(f"{text!r}: write it as NAME=COMMAND")
    return System(name, tuple(shlex.split(command)), "unknown to us")
