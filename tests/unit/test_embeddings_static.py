"""The built-in model: right numbers, the same numbers always, and never a row of zeros."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paparatsd.embeddings.static import StaticModel, packaged_model, prose_model, read_spec
from paparatsd.embeddings.tokenizer import Vocabulary, words_of
from paparatsd.errors import Broken

REFERENCE = Path(__file__).parent / "data" / "static_reference.npz"
"""Vectors computed by the program that trained the model, for a few awkward texts."""


@pytest.fixture(scope="module")
def model() -> StaticModel:
    return StaticModel.load()


def test_vectors_equal_those_of_the_program_that_trained_the_model(model: StaticModel) -> None:
    with np.load(REFERENCE) as reference:
        texts = [str(text) for text in reference["texts"]]
        documents, queries = reference["documents"], reference["queries"]

    assert np.abs(model.encode(texts) - documents).max() < 1e-5
    assert np.abs(model.encode_queries(texts) - queries).max() < 1e-5


def test_a_row_has_the_same_bits_whatever_it_is_embedded_with(model: StaticModel) -> None:
    texts = [f"def load_{n}(path): return open(path).read({n})" for n in range(50)]

    together = model.encode(texts)
    alone = np.concatenate([StaticModel.load().encode([text]) for text in texts[:5]])

    assert together[:5].tobytes() == alone.tobytes()
    assert model.encode(texts[::-1])[::-1].tobytes() == together.tobytes()


@pytest.mark.parametrize("text", ["", " \n\t", "()[]{}", "漢字", "\ud800", "\x00", "é" * 100])
def test_a_text_without_known_words_still_gets_a_vector_of_length_one(
    model: StaticModel, text: str
) -> None:
    for row in (model.encode([text])[0], model.encode_queries([text])[0]):
        assert np.linalg.norm(row) == pytest.approx(1, abs=1e-6)


def test_texts_of_unknown_words_are_near_only_to_texts_with_the_same_words(
    model: StaticModel,
) -> None:
    query = model.encode_queries(["数据库 连接"])[0]
    same, other = model.encode(["连接 池 数据库", "用户 登录 页面"])

    assert query @ same > 0.6
    assert abs(query @ other) < 0.3


def test_a_question_is_nearest_to_the_code_that_answers_it(model: StaticModel) -> None:
    code = [
        "def retry(call, attempts):\n    for n in range(attempts):\n        time.sleep(2 ** n)",
        "class UserForm:\n    def validate_email(self, address): ...",
        "func openDatabase(path string) (*sql.DB, error)",
    ]
    questions = ["wait longer after each failed attempt", "check an e-mail", "connect to SQL"]

    scores = model.encode_queries(questions) @ model.encode(code).T

    assert scores.argmax(axis=1).tolist() == [0, 1, 2]


ANSWERS = {
    "where are passwords hashed before they are saved": (
        "public string HashPassword(string password) {\n"
        "  return Convert.ToBase64String(pbkdf2.GetBytes(salt, password));\n}"
    ),
    "parse command line flags": (
        "fn parse_args(argv: &[String]) -> Result<Options> {\n"
        '    for arg in argv { if arg.starts_with("--") { opts.flag(arg)?; } }'
    ),
    "write log messages to a file and rotate it": (
        "class RotatingFileHandler\n  def emit(record)\n"
        "    rollover if size > @max_bytes\n    @log.write(format(record))"
    ),
    "open a database connection from the pool": (
        "fun acquire(): Connection {\n    return pool.poll() ?: DriverManager.getConnection(url)\n}"
    ),
    "evict expired entries from the cache": (
        "func (c *Cache) purge(now time.Time) {\n"
        "\tfor key, item := range c.items {\n"
        "\t\tif item.expires.Before(now) { delete(c.items, key) }"
    ),
    "draw a rounded rectangle": (
        "void fill_round_rect(Canvas *canvas, int x, int y, int w, int h, float radius) {\n"
        "  arc(canvas, x + radius, y + radius); line_to(canvas, x + w, y);"
    ),
    "install a version of the compiler": (
        'install_version() {\n  curl -L "$mirror/$1.tar.gz" | tar xz -C "$prefix"\n'
        "  ./configure && make install\n}"
    ),
}


def test_each_question_is_nearest_to_its_answer_in_whatever_language(model: StaticModel) -> None:
    scores = model.encode_queries(list(ANSWERS)) @ model.encode(list(ANSWERS.values())).T

    assert scores.argmax(axis=1).tolist() == list(range(len(ANSWERS)))


def test_texts_that_say_the_same_are_nearer_than_those_on_the_same_topic(
    model: StaticModel,
) -> None:
    first, same, topic, other = model.encode(
        [
            "A generation is one committed state of the index.",
            "Generation: a state of the index that was committed.",
            "The index is written by one process only.",
            "Bananas are ripe when their skin is yellow.",
        ]
    )

    assert first @ same > 0.75
    assert first @ same > first @ topic + 0.15
    assert first @ topic > first @ other


def test_the_model_fits_the_wheel_and_belongs_together() -> None:
    files = [packaged_model() / name for name in ("model.npz", "vocab.txt")]
    entries = files[1].read_text(encoding="utf-8").split("\n")
    with np.load(files[0]) as arrays:
        table, scales = arrays["q"], arrays["s"]

    assert sum(file.stat().st_size for file in files) < 20_000_000
    assert len(set(entries)) == len(entries) == len(table)
    assert table.dtype == np.int8
    assert np.isfinite(scales).all()
    assert {*"abcdefghijklmnopqrstuvwxyz0123456789"} <= set(entries)


def test_both_models_together_fit_the_wheel() -> None:
    folders = (packaged_model(), prose_model())
    sizes = [file.stat().st_size for folder in folders for file in folder.iterdir()]
    assert sum(sizes) < 20_000_000
    assert (prose_model() / "NOTICE").is_file()


def test_no_texts_give_an_empty_matrix(model: StaticModel) -> None:
    assert model.encode([]).shape == (0, 256)


def test_the_fingerprint_is_known_without_loading_and_changes_with_the_files(
    model: StaticModel, tmp_path: Path
) -> None:
    changed = tmp_path / "model"
    shutil.copytree(packaged_model(), changed)
    words = (changed / "vocab.txt").read_text(encoding="utf-8")
    (changed / "vocab.txt").write_text(words.replace("return", "rückgabe", 1), encoding="utf-8")

    assert read_spec() == model.spec
    assert read_spec(changed).fingerprint != model.spec.fingerprint
    assert (model.spec.provider, model.spec.dimension) == ("static", 256)


def test_a_damaged_or_missing_model_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(Broken, match="install paparatsd again"):
        StaticModel.load(tmp_path / "nowhere")
    (tmp_path / "model.npz").write_bytes(b"PK not really")
    (tmp_path / "vocab.txt").write_text("a\nb")
    with pytest.raises(Broken, match="install paparatsd again"):
        StaticModel.load(tmp_path)


def test_names_are_cut_into_their_words() -> None:
    assert words_of("HTTPServer2 parse_jsonBody x+=1") == [
        "http", "server", "2", "parse", "json", "body", "x", "+=", "1",
    ]  # fmt: skip


@given(st.text(st.one_of(st.characters(), st.sampled_from("aZ_=.9 \x1c\x85\u2003#'")), max_size=60))
def test_cutting_at_separators_first_changes_nothing(text: str) -> None:
    vocabulary = Vocabulary(["a", "##a", "z", "==", "9", "é"])
    one_by_one = Counter(piece for word in words_of(text) for piece in vocabulary[word])

    assert vocabulary.count(text) == one_by_one


def test_an_unknown_word_is_cut_longest_piece_first() -> None:
    vocabulary = Vocabulary(["re", "##try", "##t", "##able", "table", "retr"])

    assert vocabulary["retryable"] == (5, 3)  # retr, then y is unknown, then ##able
    assert vocabulary["retry"] == (5,)
    assert vocabulary["xtable"] == (4,)  # a whole word inside another
    assert vocabulary["re"] == (0,)


def test_remembered_tokens_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paparatsd.embeddings.tokenizer.MEMO_TOKENS", 100)
    vocabulary = Vocabulary(["a"])

    for number in range(1_000):
        vocabulary.count(f"token{number} a")

    assert len(vocabulary) <= 101
    assert vocabulary.count("a a")[0] == 2


def test_words_with_a_row_of_their_own_are_known() -> None:
    model = StaticModel.load()

    assert model.knows("blockchain")
    assert not model.knows("blockchian")


def test_pieces_give_the_vector_of_their_text(model: StaticModel) -> None:
    texts = ["delete a user", "const retry = (n) => n + 1", ""]
    rows = model.encode_pieces([model.pieces(text) for text in texts])
    assert rows[:2].tobytes() == model.encode(texts[:2]).tobytes()
    assert not rows[2].any()


def test_the_rows_of_pieces_have_length_one_and_count_in_questions(model: StaticModel) -> None:
    pieces = np.array(sorted(model.pieces("how is the retry limit configured")), np.int64)
    rows, worths = model.directions(pieces)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(len(pieces)), abs=1e-5)
    assert (worths > 0).all()
    total = (rows * worths[:, None]).sum(axis=0)
    asked = model.encode_queries(["how is the retry limit configured"])[0]
    assert total / np.linalg.norm(total) == pytest.approx(asked, abs=1e-5)


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("get rid of an account for good", "Delete a user", "Export a user"),
        ("it takes ages until the first answer", "Slow start-up", "Rename a column"),
        ("keep a copy in case the disk dies", "Backup and restore", "Colours of the terminal"),
    ],
)
def test_the_model_of_prose_knows_other_words_for_the_same(
    question: str, answer: str, other: str
) -> None:
    prose = StaticModel.load(prose_model())
    right, wrong = prose.encode([answer, other]) @ prose.encode_queries([question])[0]
    assert right > wrong
