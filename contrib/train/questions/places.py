"""Which files of a repository are its own sources, and so may be an answer."""

from __future__ import annotations

import re

from paparatsd.chunks.languages import has_grammar, language_of

_NOT_CODE = frozenset(
    ("json", "yaml", "toml", "xml", "ini", "properties", "html", "css", "scss", "make", "cmake",
     "dockerfile", "markdown", "rst", "notebook", "proto", "graphql", "sql", "nix", "terraform",
     "groovy", "vim", "csv", "text")
)  # fmt: skip
_FOLDERS = re.compile(
    r"(?:^|/)(?:[\w.-]*(?<![a-z])tests?|__tests?__|[\w.-]*Tests?|spec|specs|features|docs?|website"
    r"|documentation|site|examples?|samples?|demos?|playground|bench(?:es|mark|marks|markapps)?"
    r"|perf"
    r"|[\w.-]*[Bb]enchmarks?|fixtures?|testdata|testing|test_?utils?|[a-z]+(?<!la)(?<!con)test"
    r"|[\w.-]+-test-\w+|test[-_.]\w+|vendor|vendored"
    r"|third[-_]?party"
    r"|external|deps|node_modules|dist|build|out|generated|gen|locales?|lang|Lang|i18n"
    r"|translations?"
    r"|migrations|\.github|\.circleci|ci|snapshots?|stubs|mocks?|__mocks__|typings|packaging"
    r"|contrib"
    r"|extras|messages/[a-z]{2}(?:-\w+)?|[Ss]nippets?|[Pp]olyfills?|LegacySupport|fuzz\w*"
    r"|integration(?:[-_]tests?)?"
    r"|conformance|[a-zA-Z]+Test|t)/",
)
_NAMES = re.compile(
    r"(?:^|/)(?:test_[^/]*\.py|conftest\.py|setup\.py|[^/]*_test\.\w+|[^/]*[._-](?:test|spec"
    r"|tests|specs"
    r"|stories|bench)\.\w+|[^/]*_spec\.\w+|[^/]*(?:Tests?|Spec|Suite|TestCase|IT)\.(?:java|kt|cs"
    r"|scala"
    r"|php|swift|hs)|[^/]*\.d\.[cm]?ts|[^/]*\.min\.\w+|[^/]*\.(?:pb|gen|generated|designer)\.\w+"
    r"|[^/]*\.config\.\w+|[^/]*_(?:pb2|generated|gen)\.\w+|gulpfile\.\w+|rakefile|gemfile"
    r"|build\.zig"
    r"|package\.swift|build\.sbt|[^/]*\.gradle\.kts|tests?\.\w+|testing\.\w+|(?:package"
    r"|module)-info\.java|doc\.go|[^/]*test_(?:helper|util)s?\.\w+)$",
    re.IGNORECASE,
)


def is_source_path(path: str, root: str, first_line: str = "") -> bool:
    """Say whether a path is code below `root` that is no test, example, doc or foreign code."""
    if root and not path.startswith(root + "/"):
        return False
    inner = path[len(root) + 1 :] if root else path
    if _FOLDERS.search(inner) or _NAMES.search(inner) or inner.startswith("."):
        return False
    language = language_of(path, first_line)
    return has_grammar(language) and language not in _NOT_CODE
