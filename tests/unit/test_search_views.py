from __future__ import annotations

import numpy as np
import pytest

from paparatsd.errors import BadQuery
from paparatsd.search.filters import allowed_rows, language_names, version_filter
from paparatsd.search.shelf import ByteBounded
from paparatsd.search.views import Corpus, ProjectView, ShownFile, build_view
from paparatsd.sources.globs import PathMatcher
from paparatsd.store.rows import Frequencies


def view(*paths: str, previous: ProjectView | None = None) -> ProjectView:
    files = [
        ShownFile(path, 1000 - n, "python" if path.endswith("py") else "go")
        for n, path in enumerate(paths)
    ]
    return build_view(1, 1, files, previous)


def frequencies(chunks: int, **counts: int) -> Frequencies:
    ids = [int(name[1:]) for name in counts]
    return Frequencies(np.array(ids, np.uint32), np.array(list(counts.values()), np.int32), chunks)


def test_versions_and_paths_find_their_rows() -> None:
    shown = view("b.py", "a.py", "c.go")
    assert shown.paths == ("a.py", "b.py", "c.go")
    rows = shown.rows_of(np.array([1000, 5, 998], np.int64))
    assert rows.tolist() == [1, -1, 2]
    assert shown.row_of_path("c.go") == 2
    assert shown.row_of_path("zzz") == -1


def test_empty_view_knows_nothing() -> None:
    assert view().rows_of(np.array([5], np.int64)).tolist() == [-1]
    assert view().row_of_path("a") == -1


def test_edit_keeps_the_path_index_and_a_new_file_makes_another() -> None:
    first = view("a.py", "b.py")
    assert view("a.py", "b.py", previous=first).index is first.index
    assert view("a.py", "c.py", previous=first).index is not first.index


def test_frequencies_of_several_views_add_up_and_shared_ones_are_taken_off() -> None:
    corpus = Corpus(
        ((1, frequencies(10, t1=4, t2=2)), (1, frequencies(8, t2=3)), (-1, frequencies(3, t2=1))),
        15,
    )
    assert corpus.frequency(np.array([1, 2, 9], np.uint32)).tolist() == [4.0, 4.0, 0.0]
    rare, common = corpus.idf(np.array([9, 1], np.uint32))
    assert rare > common > 0


def test_shorter_of_include_and_exclude_is_sent() -> None:
    stored = np.arange(100, dtype=np.int64)
    most = version_filter(stored, stored[:98])
    assert most is not None
    assert not most.include
    assert most.versions.tolist() == [98, 99]
    few = version_filter(stored, stored[:2])
    assert few is not None
    assert few.include
    assert few.versions.tolist() == [0, 1]
    assert version_filter(stored, np.array([500], np.int64)) is None


def test_languages_and_paths_restrict_the_rows() -> None:
    shown = view("src/a.py", "src/b.go", "tests/c.py")
    assert allowed_rows(shown, (), ("golang",)).tolist() == [False, True, False]
    assert allowed_rows(shown, ("src/",), ("py",)).tolist() == [True, False, False]
    assert allowed_rows(shown, (), ()).all()


def test_plain_patterns_let_in_and_marked_ones_shut_out() -> None:
    matcher = PathMatcher(("src/", "!*_test.go"))
    assert matcher.matches("src/a.go")
    assert not matcher.matches("src/a_test.go")
    assert not matcher.matches("lib/a.go")
    assert PathMatcher(("!tests/",)).matches("src/a.py")
    assert not PathMatcher(("!tests/",)).matches("tests/unit/a.py")
    assert PathMatcher(("./src/",)).matches("src/a.go")


def test_pattern_that_cannot_be_read_is_a_bad_query() -> None:
    with pytest.raises(BadQuery):
        PathMatcher(("a\\",))


def test_typescript_includes_tsx() -> None:
    assert language_names(("TypeScript", "rust")) == {"typescript", "tsx", "rust"}


def test_shelf_forgets_what_was_used_longest_ago_when_full() -> None:
    shelf: ByteBounded[str] = ByteBounded(10)
    shelf.put(1, "one", 4)
    shelf.put(2, "two", 4)
    shelf.get(1)
    shelf.put(3, "three", 4)
    assert shelf.get(2) is None
    assert shelf.get(1) == "one"
    assert shelf.used_bytes == 8


def test_shelf_does_not_keep_what_is_larger_than_itself() -> None:
    shelf: ByteBounded[str] = ByteBounded(10)
    shelf.put(1, "huge", 11)
    assert shelf.get(1) is None
    assert shelf.used_bytes == 0
    shelf.put(1, "small", 3)
    shelf.put(1, "other", 5)
    assert shelf.used_bytes == 5
