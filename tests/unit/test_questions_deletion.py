"""A sentence leaves its comment and nothing else changes."""

from __future__ import annotations

import ast

import pytest

from contrib.train.questions.deletion import delete_sentence, keeps_structure, normalised
from contrib.train.questions.mine import documented, head
from paparatsd.chunks.parse import ChunkLimits, parse_file

PYTHON = '''\
"""Reading of weather station reports."""


class Pool:
    """Keeps idle database connections
    open for reuse. Thread safe.
    """

    def take(self) -> int:
        """Hand out the oldest idle connection."""
        self.count = 1
        if self.count:
            return 2
        return 1
'''
JAVA = """\
package a;

/**
 * Keeps idle database connections
 * open for <em>later</em> reuse. Thread safe.
 */
public class Pool {
    int size;
}
"""
RUST = """\
use std::fmt;

/// Keeps idle database connections
/// open for reuse.
///
/// More words.
#[derive(Debug)]
pub struct Pool {
    size: u8,
}
"""
FILES = [("pool.py", PYTHON), ("Pool.java", JAVA), ("pool.rs", RUST)]


@pytest.mark.parametrize(("path", "text"), FILES)
def test_a_documented_type_loses_its_sentence_and_nothing_else(path: str, text: str) -> None:
    parsed = parse_file(path, text, ChunkLimits())
    item = next(f for f in documented(path, parsed) if f.kind == "container")
    assert normalised(item.text).startswith("keeps idle database connections open for")

    after = delete_sentence(text, item.raw, item.first, item.last)

    assert after is not None
    assert "idle database" not in after
    assert "open for" not in after
    assert len(after.splitlines()) == len(text.splitlines())
    assert keeps_structure(path, text, after)
    kept = [line for line in text.splitlines() if "idle" not in line and "open for" not in line]
    assert all(line in after.splitlines() for line in kept)


def test_python_still_compiles_and_the_next_sentence_stays() -> None:
    after = delete_sentence(PYTHON, "Keeps idle database connections open for reuse.", 4, 8)
    assert after is not None
    ast.parse(after)
    assert "\n    Thread safe.\n" in after


def test_a_file_s_own_comment_is_found_and_taken_out() -> None:
    parsed = parse_file("pool.py", PYTHON, ChunkLimits())
    item = head("pool.py", parsed, PYTHON.splitlines())
    assert item is not None
    assert item.text == "Reading of weather station reports"
    after = delete_sentence(PYTHON, item.raw, item.first, item.last)
    assert after is not None
    ast.parse(after)
    assert after.startswith('""""""\n')


def test_a_comment_that_clings_to_code_is_not_the_file_s_own() -> None:
    text = "# Smallest number of rows in a page\nPAGE_ROWS = 7\n"
    assert head("a.py", parse_file("a.py", text, ChunkLimits()), text.splitlines()) is None


def test_a_sentence_outside_the_lines_is_not_touched() -> None:
    assert delete_sentence(PYTHON, "Hand out the oldest idle connection.", 1, 7) is None


def test_windows_line_ends_survive() -> None:
    text = JAVA.replace("\n", "\r\n")
    raw = "Keeps idle database connections open for <em>later</em> reuse."
    after = delete_sentence(text, raw, 3, 6)
    assert after is not None
    assert after.count("\r\n") == text.count("\r\n")
    assert "idle" not in after


def test_a_change_of_structure_is_noticed() -> None:
    assert not keeps_structure("pool.py", PYTHON, PYTHON.replace("def take", "def give"))
