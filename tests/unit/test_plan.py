from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from paparatsd.indexing.plan import RACY_NS, Known, batches, is_racy, plan_changes
from paparatsd.model import Skip, SkippedFile, Stat, TreeListing, VersionId
from paparatsd.store.rows import ViewEntry

OLD, NEW = Stat(1, 10, 10, 1), Stat(2, 20, 20, 1)


def entry(stat: Stat = OLD, *, racy: bool = False) -> ViewEntry:
    return ViewEntry(VersionId(7), stat, racy)


def known(
    view: dict[str, ViewEntry] | None = None,
    skipped: dict[str, SkippedFile] | None = None,
    refused: dict[str, Stat] | None = None,
) -> Known:
    return Known(view or {}, skipped or {}, refused or {})


def seen(files: dict[str, Stat] | None = None, *skipped: SkippedFile) -> TreeListing:
    return TreeListing(files or {}, skipped, frozenset({""}))


def test_what_is_as_it_was_needs_nothing() -> None:
    assert plan_changes(known({"a": entry()}), seen({"a": OLD})).is_empty


def test_new_and_changed_files_are_read_in_path_order() -> None:
    plan = plan_changes(known({"b": entry()}), seen({"b": NEW, "a": NEW}))
    assert plan.read == ("a", "b")
    assert plan.drop == ()


def test_a_racy_file_is_read_again_though_its_stat_is_equal() -> None:
    plan = plan_changes(known({"a": entry(racy=True)}), seen({"a": OLD, "b": NEW}))
    assert plan.read == ("a", "b")
    assert plan.doubted == {"a"}


def test_a_file_that_is_gone_leaves_the_view() -> None:
    assert plan_changes(known({"a": entry()}), seen()).drop == ("a",)


def test_a_file_that_is_skipped_now_leaves_the_view_and_is_listed() -> None:
    item = SkippedFile("a", Skip.IGNORED)
    plan = plan_changes(known({"a": entry()}), seen({}, item))
    assert plan.drop == ("a",)
    assert plan.skip == (item,)


def test_a_file_refused_for_its_content_is_not_read_again_until_it_changes() -> None:
    before = known(refused={"a": OLD})
    assert plan_changes(before, seen({"a": OLD})).is_empty
    assert plan_changes(before, seen({"a": NEW})).read == ("a",)


def test_a_skipped_file_that_is_gone_leaves_the_list() -> None:
    before = known(skipped={"a": SkippedFile("a", Skip.LOCK)}, refused={"b": OLD})
    assert plan_changes(before, seen()).unskip == ("a", "b")


def test_paranoid_reads_everything() -> None:
    assert plan_changes(known({"a": entry()}), seen({"a": OLD}), paranoid=True).read == ("a",)


def test_a_file_written_just_before_it_was_read_is_racy() -> None:
    assert is_racy(Stat(1, 1_000, 1_000, 1), 1_000)
    assert is_racy(Stat(1, 0, 5 * RACY_NS, 1), 5 * RACY_NS + 1)
    assert not is_racy(Stat(1, 0, 0, 1), 2 * RACY_NS)


@given(st.lists(st.integers(0, 1_000), max_size=200))
def test_batches_hold_every_path_once_in_order_and_within_bounds(sizes: list[int]) -> None:
    stats = {f"{n:03}": Stat(size, 0, 0, 0) for n, size in enumerate(sizes)}
    cut = batches(stats, stats, max_files=7, max_bytes=1_500)
    assert [path for batch in cut for path in batch] == list(stats)
    for batch in cut:
        assert 1 <= len(batch) <= 7
        assert len(batch) == 1 or sum(stats[path].size for path in batch) <= 1_500
