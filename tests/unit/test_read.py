from __future__ import annotations

import hashlib
import os
import socket
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from paparatsd.model import Skip, SkippedFile
from paparatsd.sources.content import decode, find_generated_marker, is_minified
from paparatsd.sources.read import SourceText, read_source


def read(root: Path, path: str, **options: Any) -> SourceText | Skip:
    found = read_source(root, path, max_bytes=100_000, **options)
    if isinstance(found, SourceText):
        return found
    assert found.path == path
    return found.reason


def text_of(root: Path, data: bytes, name: str = "a.py") -> str | Skip:
    (root / name).write_bytes(data)
    found = read(root, name)
    return found.text if isinstance(found, SourceText) else found


def test_text_comes_with_hash_size_and_stat(tmp_path: Path) -> None:
    data = "eins = 'ü'\r\n".encode()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.py").write_bytes(data)
    found = read(tmp_path, "sub/a.py")
    assert isinstance(found, SourceText)
    assert found.text == "eins = 'ü'\r\n"
    assert found.content == hashlib.blake2b(data, digest_size=32).digest()
    assert found.size == found.stat.size == len(data)
    assert found.stat.inode == (tmp_path / "sub/a.py").stat().st_ino


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        ("\ufeffx = 1".encode(), "x = 1"),
        (b"\xff\xfe" + "größe\n".encode("utf-16-le"), "größe\n"),
        (b"\xfe\xff" + "größe\n".encode("utf-16-be"), "größe\n"),
        ("plain utf sixteen\n".encode("utf-16-le"), "plain utf sixteen\n"),
        ("plain utf sixteen\n".encode("utf-16-be"), "plain utf sixteen\n"),
        (b"\xff\xfe\x00\x00" + "x".encode("utf-32-le"), "x"),
        (b"name = 'caf\xe9'\n", "name = 'café'\n"),
        (b"\x93quoted\x94 \x96 text\n", "“quoted” – text\n"),
        ("\u202eevil\u2066".encode(), "\u202eevil\u2066"),
        (b"a\r\nb\nc\r", "a\r\nb\nc\r"),
        (b"\x1b[31mred\x1b[0m\n", "\x1b[31mred\x1b[0m\n"),
        ("\ufffd is a character".encode(), "\ufffd is a character"),
        (b"\xed\xa0\x80 lone surrogate", "í\xa0€ lone surrogate"),
    ],
)
def test_encodings_are_read_by_one_policy(tmp_path: Path, data: bytes, text: str) -> None:
    assert text_of(tmp_path, data) == text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x7fELF\x02\x01\x01\x00\x00", Skip.BINARY),
        (b"text" * 5000 + b"\0", Skip.BINARY),
        (bytes(range(1, 32)) * 20, Skip.BINARY),
        (b"\xff\xfea", Skip.UNDECODABLE),
        (b"\xff\xfe\x00\xd8a\x00", Skip.UNDECODABLE),
        ("кириллица ".encode("koi8-r") * 20, Skip.UNDECODABLE),
    ],
)
def test_what_is_no_text_is_said_to_be_so(tmp_path: Path, data: bytes, reason: Skip) -> None:
    assert text_of(tmp_path, data) is reason


def test_nothing_that_is_not_a_regular_file_inside_is_opened(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "canary.py").write_text("canary")
    root = tmp_path / "root"
    root.mkdir()
    (root / "real.py").write_text("x")
    (root / "link.py").symlink_to("real.py")
    (root / "out.py").symlink_to(outside / "canary.py")
    (root / "dir").symlink_to(outside)
    (root / "folder.py").mkdir()
    os.mkfifo(root / "pipe.py")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(root / "sock.py"))
    expected = {
        "link.py": Skip.SYMLINK,
        "out.py": Skip.SYMLINK,
        "dir/canary.py": Skip.SYMLINK,
        "folder.py": Skip.DELETED,
        "pipe.py": Skip.SPECIAL,
        "sock.py": Skip.SPECIAL,
        "gone.py": Skip.DELETED,
        "gone/a.py": Skip.DELETED,
        "real.py/a.py": Skip.DELETED,
        "../outside/canary.py": Skip.SPECIAL,
        "/etc/passwd": Skip.SPECIAL,
        "": Skip.SPECIAL,
        "x" * 300: Skip.UNREADABLE,
    }
    assert {path: read(root, path) for path in expected} == expected


def test_a_file_swapped_for_a_link_while_reading_never_shows_the_outside(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub/a.py").write_text("inside")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").write_text("canary")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            (root / "sub").rename(root / "kept")
            (root / "sub").symlink_to(outside)
            (root / "sub").unlink()
            (root / "kept").rename(root / "sub")

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        found = [read(root, "sub/a.py") for _ in range(2_000)]
    finally:
        stop.set()
        thread.join()
    texts = {each.text for each in found if isinstance(each, SourceText)}
    assert texts <= {"inside"}
    assert {each for each in found if isinstance(each, Skip)} <= {Skip.SYMLINK, Skip.DELETED}


def test_a_huge_sparse_file_is_skipped_by_its_size(tmp_path: Path) -> None:
    with (tmp_path / "sparse.py").open("wb") as file:
        file.truncate(1 << 30)
    assert read(tmp_path, "sparse.py") is Skip.TOO_LARGE


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_file_that_is_larger_than_it_said_is_cut_off() -> None:
    # Everything in /proc says it is empty: like a file that grows after it was looked at.
    found = read_source(Path(f"/proc/{os.getpid()}"), "status", max_bytes=100)
    assert not isinstance(found, SourceText)
    assert found.reason is Skip.TOO_LARGE


def test_secrets_are_kept_out_unless_allowed(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=1")
    (tmp_path / "a.py").write_text("key = 'AK" + "IAQ7ZP3WJ5LK2MN8RT'\n")
    assert read(tmp_path, ".env") is Skip.SECRET
    assert read(tmp_path, "a.py") is Skip.KEY_MATERIAL
    for path in (".env", "a.py"):
        assert isinstance(read(tmp_path, path, allow_secrets=True), SourceText)


@pytest.mark.parametrize("label", ["CERTIFICATE", "PUBLIC KEY", "PGP MESSAGE"])
@pytest.mark.parametrize("above", ["", "subject=/CN=marmots\r\n"])
def test_armoured_keys_are_called_so_and_not_minified(
    tmp_path: Path, label: str, above: str
) -> None:
    body = "".join(f"{'MIIBIjANBgkq' * 5}{n:04}\n" for n in range(40))
    text = f"{above}-----BEGIN {label}-----\n{body}-----END {label}-----\n"
    (tmp_path / "ca.crt").write_text(text)
    found = read_source(tmp_path, "ca.crt", max_bytes=100_000)
    assert found == SkippedFile("ca.crt", Skip.KEY_MATERIAL, label.lower())
    (tmp_path / "blob.txt").write_text(body)
    assert read(tmp_path, "blob.txt") is Skip.MINIFIED


CODE = "".join(f"def function_{n}(a, b):\n    return a + b * {n}\n" for n in range(200))
PACKED = "var a=function(b){return b.c(d,e)};" * 200


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.py", CODE, False),
        ("short.js", "x" * 500, False),
        ("a.js", PACKED, True),
        ("a.js", "/* licence */\n" * 5 + PACKED, True),
        ("a.txt", "QUJD" * 2000, True),
        ("a.txt", ("QUJD" * 19 + "\n") * 200, True),
        ("a.json", '{"a": "' + "b c " * 2000 + '"}', True),
        ("a.json", '{\n  "a": [1, 2]\n}\n' * 100, False),
        ("a.csv", "1,2,3\n" * 1000, False),
        ("a.svg", '<path d="' + "M 1 2 " * 1000 + '"/>', True),
        ("a.md", "A long paragraph in one line, as some people write. " * 200, False),
        ("a.md", "长段落没有空格" * 1000, False),
        ("a.ipynb", '"image/png": "' + "QUJD" * 5000 + '"', False),
        ("a.py", CODE * 4 + "DATA = '" + "QUJD" * 1300 + "'\n", False),
    ],
)
def test_blobs_and_packed_files_are_told_from_what_people_write(
    name: str, text: str, expected: bool
) -> None:
    assert is_minified(name, text) is expected


@pytest.mark.parametrize(
    ("name", "text", "generated"),
    [
        ("a.go", "// Code generated by protoc-gen-go. DO NOT EDIT.\npackage a\n", True),
        ("a.js", "/**\n * @generated SignedSource<<x>>\n */\n", True),
        ("a.py", "# This file was automatically generated by SWIG\n", True),
        ("a.cs", "// <auto-generated>\n", True),
        ("a.sh", "#!/bin/sh\n# AUTO-GENERATED, do not edit\n", True),
        ("a.c", "/* Do not edit! This is auto-generated from x.y */\n", True),
        ("a.py", 'MARK = "Code generated by x. DO NOT EDIT."\n', False),
        ("a.py", "# looks for `@generated` in files\n", False),
        ("a.py", "# do not edit this by hand\n", False),
        ("a.py", "x = 1\n" * 60 + "# Code generated by x. DO NOT EDIT.\n", False),
        ("a.md", "# Code generated by x. DO NOT EDIT.\n", False),
    ],
)
def test_generated_files_say_so_in_a_comment_at_the_top(
    name: str, text: str, generated: bool
) -> None:
    assert bool(find_generated_marker(name, text)) is generated


def test_any_bytes_are_decoded_or_refused() -> None:
    for seed in range(200):
        data = hashlib.shake_128(bytes([seed])).digest(seed * 3)
        assert isinstance(decode(data), str)


def test_a_content_that_was_taken_before_is_taken_without_another_look(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    first = read_source(tmp_path, "a.py", max_bytes=100)
    assert isinstance(first, SourceText)

    again = read_source(tmp_path, "a.py", max_bytes=100, known={first.content})

    assert again == SourceText(first.content, first.stat, "", 6)
    (tmp_path / ".env").write_text("x = 1\n")
    secret = read_source(tmp_path, ".env", max_bytes=100, known={first.content})
    assert not isinstance(secret, SourceText)
