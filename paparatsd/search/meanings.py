"""What each feature of the ranking, and each ground of the confidence, means in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_WORDS: Mapping[str, str] = {
    "bm25f_rel": "words of the question in its best chunk, against the best chunk of all files",
    "bm25f_share": "words of the question in its best chunk, against the most there could be",
    "bm25f_max": "words of the question in its best chunk, against the most there could be",
    "bm25f_raw": "words of the question in its best chunk, not scaled",
    "bm25f_rank": "how far down its best chunk stands by words",
    "fbm25f": "words of the question in the whole file, against the most there could be",
    "fbm25f_rel": "words of the question in the whole file, against the best file",
    "fbm25f_share": "words of the question in the whole file, against the most there could be",
    "fbm25f_rank": "how far down the whole file stands by words",
    "rk_fbm25f": "how far up the whole file stands by words",
    "cov_all": "how much of the question is anywhere in the file",
    "cov_chunk": "how much of the question is in its best chunk",
    "cov_doc": "how much of the question is in its comments",
    "pw_cov_doc": "how much of the question, above all its first words, is in its comments",
    "cov_sig": "how much of the question is in its signatures",
    "cov_sym": "how much of the question is in the names it defines",
    "body_rel": "words of the question in the code itself, against the best file",
    "body_max": "words of the question in the code itself",
    "pw_bm": "words of the question in its best chunk, where the first words count most",
    "mean_score": "how well its chunks match by words, on average",
    "top_sum": "how much of the best 200 chunks by words is in this file",
    "top_cnt": "how many of the best 200 chunks by words are in this file",
    "tf_density": "how densely the words of the question stand in it",
    "tf_share": "which part of its text is words of the question",
    "symtf_share": "which part of the names it defines is words of the question",
    "symcov_log": "how often words of the question stand in names it defines",
    "rarest_tf": "how often the rarest word of the question stands in it",
    "rarest_in_def": "a name it defines has the rarest word of the question",
    "bigram_sum": "pairs of words that stand side by side in the question and in the file",
    "bigram_max": "the rarest pair of words of the question that stands in it",
}
_NAMES: Mapping[str, str] = {
    "def_exact": "defines a name of the question, spelled the same",
    "def_ci": "defines a name of the question, but for upper and lower case",
    "def_cont": "defines a name of the question as a class or the like",
    "def_kind": "what kind of thing it defines of the names in the question",
    "def_lines": "how long the definition asked for is",
    "def_n": "how many names of the question it defines",
    "def_frac": "which part of the names of the question it defines",
    "def_share": "its part among all files that define the name",
    "def_ident_nl": "defines a name that stands in a plain-language question",
    "defcos": "a name it defines is made of the words of the question",
    "defcos_cont": "a class it defines is named with the words of the question",
    "defcos_sum": "several names it defines are made of the words of the question",
    "contcos": "a class it defines is named with the words of the question",
    "pw_defcos": "a name it defines is made of the first words of the question",
    "rk_defcos": "how far up it stands by the names it defines",
    "def_count": "how many names it defines",
    "deffull": "all parts of a name it defines are words of the question",
    "join_def": "words of the question written together are a name it defines",
    "join_cont": "words of the question written together are a class it defines",
    "join_stem": "words of the question written together are the file's name",
    "first_sym": "a name it defines has the first word of the question",
}
_PATHS: Mapping[str, str] = {
    "stem_cos": "the file's name is made of the words of the question",
    "pw_stem": "the file's name has words of the question, the first ones count most",
    "pw_stem_cos": "the file's name is made of the question's words, above all its first",
    "rk_pw_stem_cos": "how far up it stands by the file's name",
    "stem_forth": "which part of the question is in the file's name",
    "stem_rare": "the file's name is made of the rarer words of the question",
    "stem_idfcos": "the file's name is made of the rarer words of the question",
    "stem_soft": "the file's name has words like those of the question",
    "stem_prec": "which part of the file's name is words of the question",
    "stem_back": "which part of the file's name is in the question",
    "stem_first2": "the file's name has the first two words of the question",
    "dir_forth": "which part of the question is in the names of the folders",
    "dir_soft": "which part of the question is in the names of the folders",
    "dir_back": "which part of the folders' names is in the question",
    "first_path": "the path has the first word of the question",
    "a_path": "the question names this file",
    "a_owner": "defines the asked name inside what the question names before it",
    "p_test": "a test, benchmark or fixture, by its path",
    "p_variant": "vendored, generated, legacy or for one platform, by its path",
    "p_vendored": "vendored or generated, by its path",
    "p_platform": "for one platform only, by its path",
    "p_docs": "documentation, by its path",
    "p_example": "an example, by its path",
    "p_config": "configuration or build, by its path",
    "p_barrel": "a file that mostly exports what others define",
    "p_asked": "a kind of file that the question asks for, such as tests or docs",
    "p_stub": "only declares what another file defines",
    "p_logsize": "how long it is",
    "p_depth": "how deep in the tree it lies",
    "p_size": "how long it is",
    "p_stemlen": "how many words the file's name has",
    "p_langshare": "how much of the project is in its language",
    "p_logindeg": "how many files use what it defines",
    "p_commentfrac": "how much of it is comments",
    "p_defs": "how many names it defines",
    "p_recent": "how lately it was changed",
    "has_partner": "a test named after a file that exists",
    "test_partner": "a test named after it matches the question",
}
_MEANING: Mapping[str, str] = {
    "d_chunk": "its best chunk is like the question in meaning",
    "d_chunk_rel": "its best chunk is like the question in meaning, against the best file",
    "d_chunk_rank": "how far up its best chunk stands by meaning",
    "d_ftext": "the whole file is like the question in meaning",
    "d_path": "the path is like the question in meaning",
    "d_stem": "the file's name is like the question in meaning",
    "d_doc": "its comments are like the question in meaning",
    "d_names": "the names it defines are like the question in meaning",
    "d_sym": "a name it defines is like the question in meaning",
    "d_fsym": "the names it defines are together like the question in meaning",
    "d_head": "its beginning is like the question in meaning",
    "g_in": "files that match the question use what it defines",
    "g_in_top": "the files that match best use what it defines",
    "g_out": "it uses what files that match the question define",
    "g_out_top": "it uses what the files that match best define",
}
FEATURES: Mapping[str, str] = {**_WORDS, **_NAMES, **_PATHS, **_MEANING}
"""What a feature of a file says."""

GROUNDS: Mapping[str, str] = {
    "answerable": "chance that what was searched holds an answer",
    "this_one": "chance that it is this file",
    "certain": "1: what the question names or quotes is there; 0: it is of the kind asked for",
    "cosine": "likeness of meaning of the best chunk found",
    "share": "how much of the question the first file has",
    "early": "how much of the first words of the question the first file has",
    "dense_words": "how densely the words of the question stand in the first file",
    "stem": "how far the first file's name is made of the question's words",
    "defines": "how far a name that the first file defines is made of the question's words",
    "names": "likeness of meaning of the names that the first file defines",
    "unknown": "share of the question's words that stand nowhere",
    "named": "the first file defines a name of the question",
    "single": "the question is one name",
    "behind": "how far its score lies behind the first file's",
    "ahead": "how far the first file is ahead of the second",
    "ahead5": "how far the first file is ahead of the fifth",
    "part": "its part when all files compete by their scores",
}
"""What the shown confidence was computed from."""

_FIELDS: Mapping[str, str] = {
    "body": "code", "sym": "defined names", "sig": "signatures", "doc": "comments",
    "mdoc": "description of the file or class", "enc": "enclosing names", "path": "path",
    "any": "text, names or path", "chunk": "best chunk", "top": "best chunks",
}  # fmt: skip
_PREFIXES: tuple[tuple[str, str], ...] = (
    ("cov_", "how much of the question is in its {}"),
    ("fb_", "words of the question in its {}"),
    ("pw_", "words of the question in its {}, the first ones count most"),
    ("rk_", "how far up it stands by this: {}"),
    ("d_", "its {} is like the question in meaning"),
    ("p_", "{}, by what is known of the file before any question"),
    ("g_", "{}, by who uses whose names"),
)


def meaning(name: str) -> str:
    """Return a short sentence on a feature or ground; of an unknown one what its name tells."""
    known = FEATURES.get(name) or GROUNDS.get(name)
    if known:
        return known
    for prefix, sentence in _PREFIXES:
        rest = name.removeprefix(prefix)
        if rest and rest != name:
            return sentence.format(_FIELDS.get(rest) or FEATURES.get(rest) or rest)
    return "a measure without a description"
