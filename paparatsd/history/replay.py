"""What came of the lines of a file: facts of its path replayed backwards over the whole graph.

Two questions are answered at once, each as git answers it. Which commits touched a *range*, also
where nothing of theirs is left: `git log -L`. From which commit each *line* is: `git blame`.
A state is what is still looked for in one path at one commit. The state that is latest in the
order of the graph is taken next, so what comes from several children is together by then; between
commits that touched the path nothing is visited.

The answers part at a merge that took a file as a branch has it, where parent 0 has the same lines
in the range by other commits (a file moved away and written anew, a change picked twice): lines go
to the branch, as blame has it, the range to parent 0. Both are named then.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TYPE_CHECKING, cast

from paparatsd.commits import Change, ChunkPast, Involvement, Role, Touch
from paparatsd.history.dag import UNKNOWN
from paparatsd.history.ranges import Edits, Run, Span, runs_of, unite_spans
from paparatsd.history.trail import Trail

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterable, Sequence

    from paparatsd.commits import Hunk
    from paparatsd.history.dag import Dag
    from paparatsd.history.trail import PathFacts

DEFAULT_LIMIT = 500
STATES_PER_STEP = 16
_CARRIED = (Change.MODIFY, Change.RENAME)


@dataclass(frozen=True, slots=True)
class FileNow:
    """A file as it is now: `path` at the commit `head`, and what is not committed of it.

    `line_count` is of the text now; `uncommitted` are the hunks from the text at `head` to it.
    """

    head: int
    path: str
    line_count: int
    uncommitted: tuple[Hunk, ...] = ()


@dataclass(slots=True)
class _State:
    """What is looked for at one commit in one path: surviving lines, and the spans of ranges."""

    lines: list[Run] = field(default_factory=list)
    spans: dict[int, list[Span]] = field(default_factory=dict)


@dataclass(slots=True)
class _Found:
    """What was found of one range."""

    roles: dict[int, Role] = field(default_factory=dict)
    births: set[int] = field(default_factory=set)
    complete: bool = True


def replay(
    facts: PathFacts,
    dag: Dag,
    file: FileNow,
    ranges: Sequence[Span],
    *,
    limit: int = DEFAULT_LIMIT,
    ignored: Collection[int] = frozenset(),
) -> tuple[ChunkPast, ...]:
    """Return the past of each range of lines [first, last] of a file; ranges may overlap.

    `ignored` commits carry lines and are not named: what they changed is told by what stood in
    its place before. Lines they added have no place before and stay theirs. A range keeps its
    newest `limit` commits and all that have lines in it; it is not complete if there are more.
    """
    steps = replay_by_steps(facts, dag, file, ranges, limit=limit, ignored=ignored)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast("tuple[ChunkPast, ...]", end.value)


def replay_by_steps(
    facts: PathFacts,
    dag: Dag,
    file: FileNow,
    ranges: Sequence[Span],
    *,
    limit: int = DEFAULT_LIMIT,
    ignored: Collection[int] = frozenset(),
) -> Generator[None, None, tuple[ChunkPast, ...]]:
    """Do what `replay` does, pausing every few commits; the past is the generator's value.

    A step takes some milliseconds; a large file that many commits touched takes a hundred.
    """
    spans = [(max(first, 1), min(last, file.line_count) + 1) for first, last in ranges]
    edits = Edits(file.uncommitted)
    lines, new_lines = edits.split_runs(runs_of(spans))
    carried = ((index, edits.carry_span(*span)) for index, span in enumerate(spans))
    start = _State(lines, {i: [(top, end)] for i, (top, end, _) in carried if top < end})
    work = _Replay(facts, dag, limit, ignored, len(spans))
    work.send(file.head, file.path, start)
    while work.step(STATES_PER_STEP):
        yield
    owners = _Owners(work.owned)
    lost = _Owners((run, UNKNOWN) for run in work.lost)
    fresh = _Owners((run, UNKNOWN) for run in new_lines)
    pasts = []
    for span, found in zip(spans, work.found, strict=True):
        found.complete &= not lost.count(span)
        uncommitted = fresh.count(span).get(UNKNOWN, 0)
        pasts.append(_conclude(dag, span, found, owners.count(span), uncommitted, limit))
    return tuple(pasts)


def _conclude(
    dag: Dag, span: Span, found: _Found, lines: dict[int, int], uncommitted: int, limit: int
) -> ChunkPast:
    roles = dict(found.roles)
    for commit in lines:
        roles[commit] = _own_role(dag, commit)
    newest = sorted(roles, key=lambda commit: (dag.order(commit), commit), reverse=True)
    complete = found.complete and len(newest) <= limit
    birth = newest[-1] if complete and newest and newest[-1] in found.births else None
    traces = (
        Involvement(commit, roles[commit], lines.get(commit, 0), commit == birth)
        for place, commit in enumerate(newest)
        if place < limit or commit in lines
    )
    return ChunkPast(span[0], span[1] - 1, tuple(traces), uncommitted, complete)


def _own_role(dag: Dag, commit: int) -> Role:
    """Return what a commit is to lines that it changed itself."""
    return Role.RESOLUTION if dag.parent_count(commit) > 1 else Role.AUTHOR


class _Owners:
    """Which commit each of the newest lines is from."""

    def __init__(self, owned: Iterable[tuple[Run, int]]) -> None:
        self._runs = sorted(
            (origin, origin + end - start, commit) for (start, end, origin), commit in owned
        )
        self._ends = [end for _, end, _ in self._runs]

    def count(self, span: Span) -> dict[int, int]:
        """Return how many lines of the span are from each commit."""
        counts: dict[int, int] = {}
        for index in range(bisect_left(self._ends, span[0] + 1), len(self._runs)):
            start, end, commit = self._runs[index]
            if start >= span[1]:
                break
            overlap = min(end, span[1]) - max(start, span[0])
            counts[commit] = counts.get(commit, 0) + overlap
        return counts


class _Replay:
    """The states that wait, by commit and path, and what was found so far."""

    def __init__(
        self, facts: PathFacts, dag: Dag, limit: int, ignored: Collection[int], count: int
    ) -> None:
        self._facts = facts
        self._dag = dag
        self._limit = limit
        self._ignored = ignored
        self._trails: dict[str, Trail] = {}
        self._queue: list[tuple[int, int, str]] = []
        self._states: dict[tuple[int, str], _State] = {}
        self.found = [_Found() for _ in range(count)]
        self.owned: list[tuple[Run, int]] = []
        self.lost: list[Run] = []

    def send(self, commit: int, path: str, state: _State) -> None:
        """Let a state wait at the first commit from `commit` on that touched the path."""
        if not state.lines and not state.spans:
            return
        target = self._trail(path).find(commit)
        if target is None:
            self._lose(state)
            return
        waiting = self._states.get((target, path))
        if waiting is None:
            self._states[target, path] = state
            heappush(self._queue, (-self._dag.order(target), -target, path))
            return
        waiting.lines = waiting.lines + state.lines
        for index, spans in state.spans.items():
            both = waiting.spans.get(index)
            waiting.spans[index] = unite_spans([*both, *spans]) if both else spans

    def step(self, states: int) -> bool:
        """Carry some of the states on to where they meet the path again; False at the end."""
        for _ in range(states):
            if not self._queue:
                return False
            _, negative, path = heappop(self._queue)
            commit = -negative
            state = self._states.pop((commit, path))
            touches = self._facts.touches_at(path, commit)
            if len(touches) > 1:
                self._pass_to_all(commit, touches, state)
            elif touches[0].same_in is not None:
                self._pass_to_same(commit, touches[0], state)
            else:
                self._pass_to_first(commit, touches[0], state)
        return bool(self._queue)

    def _trail(self, path: str) -> Trail:
        known = self._trails.get(path)
        if known is None:
            known = self._trails[path] = Trail(self._dag, self._facts.commits(path))
        return known

    def _pass_to_first(self, commit: int, touch: Touch, state: _State) -> None:
        """Note what one commit did, and go on with the rest at parent 0."""
        if touch.change not in _CARRIED:
            self._begin(commit, touch, state)
            return
        edits = _edits(touch)
        kept, changed = self._split(edits, state.lines)
        if changed and edits is not None and commit in self._ignored:
            matched, changed = edits.match_by_place(changed)
            kept += matched
        self.owned += [(run, commit) for run in changed]
        onward: dict[int, list[Span]] = {}
        for index, spans in state.spans.items():
            before, touched = _carry(edits, spans)
            if touched and not self._note(index, commit, _own_role(self._dag, commit)):
                continue
            if before:
                onward[index] = before
            else:
                self.found[index].births.add(commit)
        older = _State(kept, onward)
        self.send(self._dag.first_parent(commit), touch.old_path or touch.path, older)

    def _begin(self, commit: int, touch: Touch, state: _State) -> None:
        """End here: nothing of the path is older, or git cannot tell what is."""
        if self._dag.first_parent(commit) == UNKNOWN or touch.change is Change.DELETE:
            # Where history is cut off, the oldest commit there is seems to add everything.
            self._lose(state)
            return
        self.owned += [(run, commit) for run in state.lines]
        for index in state.spans:
            self._note(index, commit, _own_role(self._dag, commit))
            self.found[index].births.add(commit)

    def _pass_to_same(self, commit: int, touch: Touch, state: _State) -> None:
        """Go on at the parent from which a merge took the path as it is.

        The lines go there, and the spans that parent 0 has otherwise, which the merge carried.
        """
        parents = self._dag.parents(commit)
        to_first = _State()
        to_same = _State(state.lines)
        is_in_first = touch.change in _CARRIED
        edits = _edits(touch)
        for index, spans in state.spans.items():
            if is_in_first:
                before, touched = _carry(edits, spans)
                if not touched:
                    to_first.spans[index] = before
                    continue
            if self._note(index, commit, Role.CARRIER):
                to_same.spans[index] = spans
        self.send(parents[0], touch.old_path or touch.path, to_first)
        self.send(parents[touch.same_in or 0], touch.path, to_same)

    def _pass_to_all(self, commit: int, touches: list[Touch], state: _State) -> None:
        """Share out the state of a merge that has the path as no parent has it."""
        parents = self._dag.parents(commit)
        carried = [(touch, _edits(touch)) for touch in touches if touch.change in _CARRIED]
        onward = {touch.parent: _State() for touch, _ in carried}
        remaining = state.lines
        for touch, edits in carried:
            kept, remaining = self._split(edits, remaining)
            if remaining and edits is not None and commit in self._ignored:
                matched, remaining = edits.match_by_place(remaining)
                kept += matched
            onward[touch.parent].lines = kept
        self.owned += [(run, commit) for run in remaining]
        for index, spans in state.spans.items():
            self._pass_spans(commit, index, spans, carried, onward)
        for touch, _ in carried:
            self.send(parents[touch.parent], touch.old_path or touch.path, onward[touch.parent])

    def _pass_spans(
        self,
        commit: int,
        index: int,
        spans: list[Span],
        carried: list[tuple[Touch, Edits | None]],
        onward: dict[int, _State],
    ) -> None:
        """Give the spans of a range to the first parent that has them so, else to all."""
        candidates: list[tuple[int, list[Span]]] = []
        own = runs_of(spans)
        for touch, edits in carried:
            before, touched = _carry(edits, spans)
            if not touched:
                if touch.parent == 0 or self._note(index, commit, Role.CARRIER):
                    onward[touch.parent].spans[index] = before
                return
            own = [] if edits is None else edits.split_runs(own)[1]
            if before:
                candidates.append((touch.parent, before))
        if not self._note(index, commit, Role.RESOLUTION if own else Role.CARRIER):
            return
        for parent, before in candidates:
            onward[parent].spans[index] = before
        if not candidates:
            self.found[index].births.add(commit)

    def _split(self, edits: Edits | None, lines: list[Run]) -> tuple[list[Run], list[Run]]:
        if edits is not None:
            return edits.split_runs(lines)
        # The place is all that can be followed: whose these lines are cannot be told.
        self.lost += lines
        return [], []

    def _note(self, index: int, commit: int, role: Role) -> bool:
        """Note a commit of a range; False if the range has had as many as it may."""
        if commit in self._ignored:
            return True
        found = self.found[index]
        if commit not in found.roles and len(found.roles) >= self._limit:
            found.complete = False
            return False
        found.roles[commit] = role
        return True

    def _lose(self, state: _State) -> None:
        self.lost += state.lines
        for index in state.spans:
            self.found[index].complete = False


def _edits(touch: Touch) -> Edits | None:
    """Return the hunks, or None where git has not compared the lines."""
    return None if touch.whole else Edits(touch.hunks)


def _carry(edits: Edits | None, spans: list[Span]) -> tuple[list[Span], bool]:
    """Return where the spans were before, and whether they were touched."""
    if edits is None:
        return spans, True
    if len(spans) == 1:
        start, end, touched = edits.carry_span(*spans[0])
        return ([(start, end)] if start < end else []), touched
    carried = [edits.carry_span(*span) for span in spans]
    before = unite_spans((start, end) for start, end, _ in carried)
    return before, any(touched for _, _, touched in carried)
