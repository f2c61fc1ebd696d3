"""Which notes whoever asks may hear of, and where they may write.

A group exists when a registered project is in it or it has notes; a project of a group when it is
registered there or has notes there. What may not be heard of does not exist: same words.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paparatsd.errors import UnknownProject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from paparatsd.knowledge_model import Reach
    from paparatsd.store.notes import Note


@dataclass(frozen=True, slots=True)
class Sight:
    """The groups that one caller may hear of, each with its projects that they may hear of.

    `visible`: the projects they may hear of at all, None for all.
    """

    groups: Mapping[str, frozenset[str]] = field(default_factory=dict)
    visible: frozenset[str] | None = None

    def sees(self, note: Note) -> bool:
        """Say whether a note may be told."""
        if note.group not in self.groups:
            return False
        return note.project is None or self.visible is None or note.project in self.visible

    def asked(self, reach: Reach) -> tuple[str, ...]:
        """Return the groups to look into, by name. Raises UnknownProject for an unknown one.

        Of a question about projects only groups that have one of them.
        """
        self._check_known("group", reach.groups, self.groups)
        known = {name for projects in self.groups.values() for name in projects}
        self._check_known("project", reach.projects, known)
        chosen = set(reach.groups or self.groups)
        if reach.projects:
            chosen = {one for one in chosen if self.groups[one] & set(reach.projects)}
        return tuple(sorted(chosen))

    def chosen(self, reach: Reach) -> Callable[[Note], bool]:
        """Return what says whether a note of a group may be told to this question.

        One about projects is told of their notes and of those of the whole group.
        """
        projects = frozenset(reach.projects)

        def accepts(note: Note) -> bool:
            asked = not projects or note.project is None or note.project in projects
            return asked and self.sees(note)

        return accepts

    def told(self, reach: Reach) -> Callable[[Note], bool]:
        """Return what says whether any note may be told to this question, whatever its group.

        Raises UnknownProject.
        """
        groups, chosen = frozenset(self.asked(reach)), self.chosen(reach)
        return lambda note: note.group in groups and chosen(note)

    def check_place(self, group: str, project: str | None) -> None:
        """Refuse to write where there is no such group or project. Raises UnknownProject."""
        self._check_known("group", [group], self.groups)
        if project is not None:
            self._check_known("project", [project], self.groups[group], f" in the group {group!r}")

    @staticmethod
    def _check_known(
        noun: str, names: Iterable[str], known: Iterable[str], where: str = ""
    ) -> None:
        there = sorted(known)
        for name in names:
            if name not in there:
                listed = ", ".join(there) or "none"
                raise UnknownProject(f"no {noun} named {name!r}{where} ({noun}s: {listed})")


def sight_of(
    reach: Reach,
    registered: Mapping[str, Iterable[str]],
    noted: Mapping[str, Iterable[str]],
    allowed: Iterable[str] = (),
) -> Sight:
    """Return what may be seen: nothing when notes may not be told at all.

    `registered` and `noted`: of each group its registered projects, and those that have notes;
    `allowed`: the projects that the daemon answers about, empty for all.
    """
    if not reach.notes:
        return Sight()
    limits = [frozenset(one) for one in (reach.visible, allowed) if one]
    visible = frozenset.intersection(*limits) if limits else None
    groups: dict[str, frozenset[str]] = {}
    for group in {*registered, *noted}:
        names = frozenset({*registered.get(group, ()), *noted.get(group, ())})
        seen = names if visible is None else names & visible
        if seen or visible is None:
            groups[group] = seen
    return Sight(groups, visible)
