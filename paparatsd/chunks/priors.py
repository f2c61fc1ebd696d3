"""What a path alone says about a file: test, example, documentation, copy of something, data.

Rules for names are per extension: a test framework's own sources are called `test_*` too.
"""

from __future__ import annotations

import re
from enum import IntFlag
from functools import lru_cache

from paparatsd.chunks.fields import file_stem


class Prior(IntFlag):
    """Kinds of files that are seldom what somebody asks for, unless the question says so."""

    NONE = 0
    TEST = 1
    EXAMPLE = 2
    DOCS = 4
    VENDORED = 8
    CONFIG = 16
    BARREL = 32
    PLATFORM = 64
    STUB = 128


_TEST_FOLDERS = (
    r"tests?|__tests__|specs?|testing|testdata|fixtures?|e2e|benchmarks?|bench|perf"
    r"|[\w.-]*[-_.]tests?|test[-_][\w.-]*|[a-z]+Tests?|jvmTest|jsTest|nativeTest|commonTest"
    r"|jmh|fuzzing|fuzz"
)
_TEST_NAMES = (
    r"test_[^/]*\.(?:py|c|cc|cpp|lua|dart)"
    r"|[^/]*_test\.(?:py|go|rb|c|cc|cpp|dart|exs|lua|ts|js)"
    r"|[^/]*Tests?\.(?:java|kt|php|swift|cs|scala|groovy|m)"
    r"|[^/]*(?:Spec|Suite)\.(?:scala|kt|swift|hs|groovy)"
    r"|[^/]*_spec\.(?:rb|lua)"
    r"|[^/]*[.-](?:test|spec|bench)\.[cm]?[jt]sx?"
    r"|(?!latest/)[a-z]+test/[^/]*\.go|[^/]*\.(?:\w*test|phpt|slt)"
    r"|conftest\.py|[^/]*\.bats|bench[^/]*\.(?:py|go|rs|c|js|ts)|[^/]*[Bb]enchmarks?\.\w+"
)
_RULES = (
    (Prior.TEST, re.compile(rf"(?:^|/)(?:(?:{_TEST_FOLDERS})/|(?:{_TEST_NAMES})$)")),
    (
        Prior.EXAMPLE,
        re.compile(
            r"(?:^|/)(?:_?examples?|samples?|demos?|docs?_src|tutorials?|sandbox|playground"
            r"|cookbook|recipes)(?:/|$)|example[^/]*\.\w+$",
            re.I,
        ),
    ),
    (
        Prior.DOCS,
        re.compile(
            r"(?:^|/)(?:docs?|documentation|website|site|www|man|guides?)(?:/|$)"
            r"|\.(?:md|mdx|markdown|rst|txt|adoc|org|html)$"
            r"|(?:^|/)(?:LICENSE|CHANGES|CHANGELOG|README|AUTHORS)[^/]*$",
            re.I,
        ),
    ),
    (
        Prior.VENDORED,
        re.compile(
            r"(?:^|/)(?:vendor|vendored|_vendor|third_?party|deps|node_modules|external|extern"
            r"|compat|_compat|legacy|dist|build|generated|gen)(?:/|$)|\.min\.js$"
            r"|(?:^|/)[^/]*(?:_pb2|\.pb|\.g|\.generated)\.\w+$",
            re.I,
        ),
    ),
    (
        Prior.PLATFORM,
        re.compile(
            r"(?:^|[/_.-])(?:win|win32|win64|windows|os2|os390|aix|ibmi|sunos|solaris|haiku|cygwin"
            r"|qnx|vms|wasm|wasi|android|ios|tvos|watchos|browser|deno)(?:[/_.-]|$)",
            re.I,
        ),
    ),
    (
        Prior.CONFIG,
        re.compile(
            r"\.(?:json|ya?ml|toml|xml|ini|cfg|lock|gradle|sbt|csproj|props|targets|cabal"
            r"|properties|in|am|cmake|css|zon|gemspec)$"
            r"|(?:^|/)(?:Makefile|Dockerfile|Rakefile|Gemfile|setup\.py|CMakeLists\.txt|build\.zig"
            r"|mix\.exs|Package\.swift)$|(?:^|/)\."
        ),
    ),
    (Prior.STUB, re.compile(r"\.(?:d\.[cm]?ts|pyi|rbi|mli|hs-boot)$")),
    (
        Prior.BARREL,
        re.compile(
            r"(?:^|/)(?:__init__\.py|index\.[jt]sx?|mod\.rs|lib\.rs|package-info\.java"
            r"|package\.scala|init\.lua|main\.\w+|mod\.ts)$"
        ),
    ),
)
_VERSION_FOLDER = re.compile(r"(?:^|/)v(\d+)/")


@lru_cache(maxsize=1 << 16)
def path_priors(path: str) -> int:
    """Return everything the path says, as the bits of `Prior`."""
    found = Prior.NONE
    for prior, rule in _RULES:
        if rule.search(path):
            found |= prior
    return int(found)


def version_folders(path: str) -> list[tuple[str, int]]:
    """Return (what stands before it, number) of each `vN` folder of a path."""
    return [(path[: match.start(1) - 1], int(match[1])) for match in _VERSION_FOLDER.finditer(path)]


_TEST_AFFIX = re.compile(
    r"^(?:tests?[_-])|(?:[_.-](?:tests?|spec|bench(?:mark)?))$|(?:Tests?|Spec|Suite|TestCase)$"
)


def partner_stem(path: str) -> str:
    """Return the lower-case stem of the source file that a test is named after, or ""."""
    if not path_priors(path) & Prior.TEST:
        return ""
    stem = file_stem(path)
    bare = _TEST_AFFIX.sub("", stem)
    return bare.lower() if bare and bare != stem else ""
