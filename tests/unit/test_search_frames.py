from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from paparatsd.model import (
    Fingerprint,
    Freshness,
    FreshnessState,
    GroupName,
    ProjectName,
    RepoId,
    ShardKey,
)
from paparatsd.search.frames import (
    Asked,
    Ranked,
    pack_asked,
    pack_ranked,
    unpack_asked,
    unpack_ranked,
)
from paparatsd.search.scope import ProjectScope, Scope
from paparatsd.search_model import Confidence, Hit, Neighbour, SearchRequest


def sent(packed: object) -> object:
    return pickle.loads(pickle.dumps(packed))


@pytest.mark.parametrize("vector", [None, np.ones(3, np.float32)])
def test_question_arrives_as_it_was_asked(vector: np.ndarray | None) -> None:
    key = ShardKey(RepoId("r"), "code", Fingerprint("f"), 3)
    fresh = Freshness(ProjectName("shop"), 7, None, FreshnessState.STALE)
    one = ProjectScope(4, ProjectName("shop"), GroupName("g"), RepoId("r"), key, 7, fresh, (1, 2))
    request = SearchRequest("who pays", limit=9, kinds=("method",), explain=True)
    asked = Asked(request, Scope((one,)), vector, built_in=vector is None, linked=True)
    for _ in range(2):
        got = unpack_asked(sent(pack_asked(asked)))  # type: ignore[arg-type]
        assert (got.request, got.scope) == (asked.request, asked.scope)
        assert (got.built_in, got.linked) == (asked.built_in, asked.linked)
        if vector is None:
            assert got.vector is None
        else:
            assert got.vector is not None
            assert np.array_equal(got.vector, vector)


def test_scopes_that_differ_only_in_what_may_be_found_stay_apart() -> None:
    key = ShardKey(RepoId("r"), "code", Fingerprint("f"), 3)
    fresh = Freshness(ProjectName("shop"), 7, None, FreshnessState.CURRENT)
    all_of_it = ProjectScope(4, ProjectName("shop"), GroupName("g"), RepoId("r"), key, 7, fresh)
    for only in (None, {1: frozenset({2})}, {1: frozenset({3})}, None):
        scope = Scope((replace(all_of_it, only=only),))
        asked = Asked(SearchRequest("who pays"), scope, None, built_in=True, linked=True)
        assert unpack_asked(sent(pack_asked(asked))).scope == scope  # type: ignore[arg-type]


def test_answer_arrives_as_it_was_given() -> None:
    plain = Hit(
        ProjectName("shop"), "pay.py", 1, 4, "shop:pay.py#pay", "python", "function", "pay",
        "def pay(): ...", 0.5, Confidence.HIGH,
    )  # fmt: skip
    full = Hit(
        ProjectName("shop"), "pay.py", 6, 9, "shop:pay.py:6-9", "python", "block", None, "pay()",
        0.25, Confidence.LOW, ("pay",), ("charge",), (ProjectName("fork"),), {"stem": 1.5},
        {"stem": 0.5}, {"answerable": 0.9},
        (Neighbour("calls", "exact", "shop:pay.py#pay", "pay", "function", "pay.py", 1),), 12,
    )  # fmt: skip
    for ranked in (Ranked((plain, full), ("a note",), 17), Ranked((), (), 0)):
        assert unpack_ranked(sent(pack_ranked(ranked))) == ranked  # type: ignore[arg-type]
