"""Builds what `git log -z --raw` writes, for tests of what reads it."""

from __future__ import annotations


def oid(number: int) -> str:
    """Return an object id that is easy to tell apart."""
    return f"{number:040x}"


def record(
    commit: str,
    *parents: str,
    author: tuple[str, str, str] = ("Ada", "ada@example.org", "1700000000 +0130"),
    subject: str = "Subject",
    body: str = "",
    entries: bytes = b"",
    patch: bytes = b"",
) -> bytes:
    """Return one record: fields, raw entries, patch."""
    name, email, date = author
    fields = [commit, " ".join(parents), name, email, date, name, email, date, subject, body]
    output = b"\0\1\0" + b"".join(field.encode() + b"\0" for field in fields) + b"\0"
    if entries:
        output += b"\n" + entries
    return output + (b"\0" + patch if patch else b"")


def entry(
    status: str,
    *paths: bytes,
    modes: tuple[str, str] = ("100644", "100644"),
    blobs: tuple[int, int] = (1, 2),
) -> bytes:
    """Return one raw entry against one parent."""
    before, after = modes
    old, new = blobs
    head = f":{before} {after} {oid(old)} {oid(new)} {status}".encode()
    return b"".join(part + b"\0" for part in (head, *paths))
