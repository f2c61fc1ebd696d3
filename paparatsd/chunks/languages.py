"""Which language a file is in, told by its name and first line; which grammar reads it.

The names are the ones shown to people and accepted by filters. A language without a grammar is
still a language: its files are cut into windows or by rules of their own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLE_VERSION = 2
"""Grows when a row below changes in a way that changes chunks; part of the fingerprint."""

UNKNOWN = "text"


@dataclass(frozen=True, slots=True)
class Language:
    """One row: names are matched without regard to case, extensions without their dot.

    `grammar` is the parser's name or "" for none. `merges_clauses` says that neighbouring
    definitions of one name are clauses of one definition.
    """

    name: str
    grammar: str
    extensions: tuple[str, ...] = ()
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    merges_clauses: bool = False


def _row(
    name: str,
    extensions: str = "",
    filenames: str = "",
    interpreters: str = "",
    *,
    grammar: str | None = None,
    merges_clauses: bool = False,
) -> Language:
    return Language(
        name,
        name if grammar is None else grammar,
        tuple(extensions.split()),
        tuple(filenames.split()),
        tuple(interpreters.split()),
        merges_clauses,
    )


_ROWS = (
    _row("python", "py pyi pyw bzl star", "build.bazel workspace.bazel module.bazel "
         "tiltfile sconstruct sconscript wscript", "python pypy uv"),
    _row("javascript", "js mjs cjs es6", "jakefile", "node deno bun"),
    _row("jsx", "jsx", grammar="javascript"),
    _row("typescript", "ts mts cts", interpreters="ts-node tsx"),
    _row("tsx", "tsx"),
    _row("go", "go"),
    _row("rust", "rs", interpreters="rust-script"),
    _row("java", "java"),
    _row("c", "c h"),
    _row("cpp", "cpp cc cxx hpp hh hxx inl ipp tpp txx c++ h++ ino cu cuh"),
    _row("csharp", "cs csx"),
    _row("ruby", "rb rake rbi gemspec ru podspec jbuilder thor", "rakefile gemfile guardfile "
         "capfile podfile fastfile brewfile vagrantfile thorfile berksfile dangerfile appfile",
         "ruby jruby"),
    _row("php", "php php3 php4 php5 phtml inc", interpreters="php"),
    _row("kotlin", "kt kts"),
    _row("swift", "swift", interpreters="swift"),
    _row("scala", "scala sc sbt", interpreters="scala amm"),
    _row("lua", "lua rockspec", interpreters="lua luajit"),
    _row("elixir", "ex exs", "mix.lock", "elixir", merges_clauses=True),
    _row("haskell", "hs hsc", interpreters="runhaskell runghc stack", merges_clauses=True),
    _row("zig", "zig zon"),
    _row("bash", "sh bash zsh ksh bats ebuild eclass", ".bashrc .bash_profile .bash_aliases "
         ".bash_logout .profile .zshrc .zprofile .zshenv pkgbuild apkbuild",
         "sh bash zsh dash ash ksh bats"),
    _row("dart", "dart", interpreters="dart"),
    _row("terraform", "tf tfvars hcl nomad tofu", grammar="hcl"),
    _row("sql", "sql ddl psql pgsql"),
    _row("vue", "vue"),
    _row("svelte", "svelte"),
    _row("objc", "m mm"),
    _row("julia", "jl", interpreters="julia"),
    _row("r", "r", ".rprofile", "rscript"),
    _row("ocaml", "ml"),
    _row("ocaml_interface", "mli"),
    _row("perl", "pl pm t psgi", "cpanfile", "perl"),
    _row("erlang", "erl hrl escript", "rebar.config", "escript", merges_clauses=True),
    _row("clojure", "clj cljs cljc edn bb", interpreters="clojure bb"),
    _row("nix", "nix"),
    _row("proto", "proto"),
    _row("graphql", "graphql gql graphqls"),
    _row("css", "css"),
    _row("scss", "scss"),
    _row("html", "html htm xhtml"),
    _row("make", "mk mak", "makefile gnumakefile makefile.am makefile.in kbuild", "make"),
    _row("cmake", "cmake", "cmakelists.txt"),
    _row("dockerfile", "dockerfile containerfile", "dockerfile containerfile"),
    _row("powershell", "ps1 psm1 psd1", interpreters="pwsh powershell"),
    _row("groovy", "groovy gradle gvy", "jenkinsfile", "groovy"),
    _row("solidity", "sol"),
    _row("fortran", "f90 f95 f03 f08 f for f77"),
    _row("gleam", "gleam"),
    _row("elm", "elm"),
    _row("fsharp", "fs fsx"),
    _row("d", "d di"),
    _row("nim", "nim nims"),
    _row("odin", "odin"),
    _row("gdscript", "gd"),
    _row("fish", "fish", interpreters="fish"),
    _row("commonlisp", "lisp lsp cl asd"),
    _row("elisp", "el", ".emacs"),
    _row("scheme", "scm ss", interpreters="guile"),
    _row("racket", "rkt", interpreters="racket"),
    _row("matlab", "matlab"),
    _row("pascal", "pas pp dpr lpr"),
    _row("verilog", "v vh sv svh"),
    _row("vhdl", "vhd vhdl"),
    _row("thrift", "thrift"),
    _row("bicep", "bicep"),
    _row("prisma", "prisma"),
    _row("purescript", "purs", merges_clauses=True),
    _row("hack", "hack hhi"),
    _row("tcl", "tcl", interpreters="tclsh wish"),
    _row("vim", "vim", ".vimrc _vimrc"),
    _row("wgsl", "wgsl"),
    _row("glsl", "glsl vert frag geom comp"),
    _row("ada", "adb ads"),
    _row("awk", "awk", grammar="", interpreters="awk gawk mawk"),
    _row("crystal", "cr", grammar=""),
    _row("json", "json jsonc json5 geojson webmanifest avsc",
         ".babelrc .eslintrc .prettierrc composer.lock pipfile.lock flake.lock"),
    _row("notebook", "ipynb", grammar="json"),
    _row("yaml", "yaml yml", ".clang-format .clang-tidy .clangd"),
    _row("toml", "toml", "pipfile cargo.lock poetry.lock uv.lock"),
    _row("xml", "xml xsd xsl xslt svg plist csproj vbproj fsproj props targets pom resx nuspec "
         "xaml wsdl storyboard xib"),
    _row("ini", "ini cfg conf", ".editorconfig .gitconfig .npmrc .flake8 .pylintrc"),
    _row("properties", "properties"),
    _row("markdown", "md mdx markdown mdown mkd mdc livemd cheatmd qmd rmd", grammar=""),
    _row("rst", "rst rest", grammar=""),
    _row("asciidoc", "adoc asciidoc asc", grammar=""),
    _row("org", "org", grammar=""),
    _row("csv", "csv tsv psv", grammar=""),
    _row("text", "txt text log", "license licence copying notice authors readme changelog",
         grammar=""),
)  # fmt: skip

LANGUAGES: Mapping[str, Language] = MappingProxyType({row.name: row for row in _ROWS})

_INTERPRETER = re.compile(r"^#!\s*(?:\S*/)?(?P<name>[^\s/]+)(?:\s+(?P<rest>[^\n]{0,200}))?")
_MODELINE = re.compile(r"-\*-\s*(?:mode:\s*)?(?P<mode>[\w+#-]+)\s*(?:;[^\n]*)?-\*-", re.IGNORECASE)
_EXACT = MappingProxyType({"BUILD": "python", "WORKSPACE": "python"})
_PREFIXES = (("dockerfile.", "dockerfile"), ("makefile.", "make"), ("jenkinsfile.", "groovy"))
_MODES = MappingProxyType({"c++": "cpp", "shell-script": "bash", "sh": "bash", "js": "javascript"})


@cache
def _by_extension() -> Mapping[str, str]:
    return MappingProxyType({e: row.name for row in _ROWS for e in row.extensions})


@cache
def _by_filename() -> Mapping[str, str]:
    return MappingProxyType({f: row.name for row in _ROWS for f in row.filenames})


@cache
def _by_interpreter() -> Mapping[str, str]:
    return MappingProxyType({i: row.name for row in _ROWS for i in row.interpreters})


def language_of(path: str, first_line: str = "") -> str:
    """Name the language of a file; "text" when neither its name nor its first line tells.

    A `.h` file is "c" here; `parse_file` looks into it and may say "cpp".
    """
    exact = path.rsplit("/", 1)[-1]
    name = exact.lower()
    known = _EXACT.get(exact) or _by_filename().get(name)
    if known is not None:
        return known
    for prefix, language in _PREFIXES:
        if name.startswith(prefix):
            return language
    stem, dot, extension = name.rpartition(".")
    if dot and stem:
        known = _by_extension().get(extension)
        if known is not None:
            return known
        if extension in {"in", "tmpl", "template", "dist", "example"} and "." in stem:
            return language_of(stem, first_line)
    return _language_of_first_line(first_line) or UNKNOWN


def has_grammar(language: str) -> bool:
    """Say whether files of this language are parsed by a grammar."""
    row = LANGUAGES.get(language)
    return row is not None and row.grammar != ""


def _language_of_first_line(line: str) -> str | None:
    line = line[:300]
    shebang = _INTERPRETER.match(line)
    if shebang is not None:
        return _language_of_interpreter(shebang["name"], shebang["rest"] or "")
    mode = _MODELINE.search(line)
    if mode is not None:
        name = mode["mode"].lower()
        name = _MODES.get(name, name)
        return name if name in LANGUAGES else None
    if line.startswith("<?php"):
        return "php"
    return "xml" if line.startswith("<?xml") else None


def _language_of_interpreter(name: str, rest: str) -> str | None:
    if name == "env":
        words = [w for w in rest.split() if not w.startswith("-") and "=" not in w]
        name = words[0].rsplit("/", 1)[-1] if words else ""
    name = name.lower()
    table = _by_interpreter()
    return table.get(name) or table.get(re.sub(r"[\d.]+$", "", name))
