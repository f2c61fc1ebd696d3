"""A file's language is told by its name first, by its first line otherwise."""

from __future__ import annotations

import pytest

from paparatsd.chunks.languages import LANGUAGES, has_grammar, language_of


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.py", "python"),
        ("A.PY", "python"),
        ("x.pyi", "python"),
        ("x.mjs", "javascript"),
        ("x.jsx", "jsx"),
        ("x.mts", "typescript"),
        ("x.tsx", "tsx"),
        ("x.d.ts", "typescript"),
        ("x.h", "c"),
        ("x.hpp", "cpp"),
        ("main.tf", "terraform"),
        ("Makefile", "make"),
        ("src/GNUmakefile", "make"),
        ("Dockerfile", "dockerfile"),
        ("Dockerfile.dev", "dockerfile"),
        ("dev.dockerfile", "dockerfile"),
        ("Rakefile", "ruby"),
        ("Jenkinsfile", "groovy"),
        ("CMakeLists.txt", "cmake"),
        ("BUILD", "python"),
        ("BUILD.bazel", "python"),
        (".bashrc", "bash"),
        ("package.json", "json"),
        ("a.ipynb", "notebook"),
        ("README.md", "markdown"),
        ("page.mdx", "markdown"),
        ("index.rst", "rst"),
        ("LICENSE", "text"),
        ("LICENSE.md", "markdown"),
        ("config.yaml.example", "yaml"),
        ("unknown.zzz", "text"),
        ("noextension", "text"),
        (".hidden", "text"),
        ("", "text"),
    ],
)
def test_the_name_tells_the_language(path: str, language: str) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("#!/bin/sh", "bash"),
        ("#!/usr/bin/env python3", "python"),
        ("#!/usr/bin/python2.7 -u", "python"),
        ("#!/usr/bin/env -S node --flag", "javascript"),
        ("#!/usr/bin/env A=1 ruby", "ruby"),
        ("#!/usr/bin/env", "text"),
        ("# -*- mode: ruby -*-", "ruby"),
        ("// -*- C++ -*-", "cpp"),
        ("<?php", "php"),
        ('<?xml version="1.0"?>', "xml"),
        ("hello", "text"),
    ],
)
def test_the_first_line_tells_when_the_name_does_not(line: str, language: str) -> None:
    assert language_of("script", line) == language


def test_the_name_wins_over_the_first_line() -> None:
    assert language_of("a.rb", "#!/usr/bin/python") == "ruby"


def test_no_two_languages_claim_one_name() -> None:
    rows = list(LANGUAGES.values())
    for column in ("extensions", "filenames", "interpreters"):
        names = [name for row in rows for name in getattr(row, column)]
        doubled = {name for name in names if names.count(name) > 1}
        assert doubled <= ({"stack"} if column == "interpreters" else set())


def test_languages_without_a_grammar_say_so() -> None:
    assert has_grammar("python")
    assert not has_grammar("markdown")
    assert not has_grammar("no such language")
