"""Files that only their owner may read: the bearer token, and settings that hold a secret."""

from __future__ import annotations

import os
import secrets
import stat
from typing import TYPE_CHECKING

from paparatsd.errors import BadSettings, Conflict
from paparatsd.small_file import UnreadableFileError, read_small_file

if TYPE_CHECKING:
    from pathlib import Path

MIN_TOKEN_CHARS, MAX_TOKEN_CHARS = 16, 1_024


def is_private(path: Path) -> bool:
    """Say whether nobody but the owner can read the file."""
    return stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


def read_token(path: Path) -> str | None:
    """Return the token in the file, or None without a file (then no token is asked for).

    Raises BadSettings for a link, a file others can read, or a text that cannot be a token.
    """
    try:
        data, mode = read_small_file(path, max_bytes=MAX_TOKEN_CHARS + 2, follow=False)
    except FileNotFoundError:
        return None
    except UnreadableFileError as error:
        raise BadSettings(f"the token file {path} cannot be used: {error}") from None
    if mode & 0o077:
        raise BadSettings(f"other users can read {path}; run: chmod 600 {path}")
    return _token_of(path, data)


def _token_of(path: Path, data: bytes) -> str:
    try:
        token = data.decode("ascii").strip()
    except UnicodeDecodeError:
        token = ""
    if not MIN_TOKEN_CHARS <= len(token) <= MAX_TOKEN_CHARS or not token.isprintable():
        raise BadSettings(
            f"{path} holds no usable token; allowed: one line of {MIN_TOKEN_CHARS} to "
            f"{MAX_TOKEN_CHARS} printable ASCII characters; delete it or make a new one with "
            "paparatsd --create-token"
        )
    if " " in token:
        raise BadSettings(f"{path}: a token has no spaces")
    return token


def create_token(path: Path) -> None:
    """Write a new random token, for its owner only from the first instant."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise Conflict(f"{path} exists; delete it first to change the token") from None
    except OSError as error:
        raise BadSettings(f"{path} cannot be written: {error.strerror}") from None
    with os.fdopen(handle, "w") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(secrets.token_urlsafe(32) + "\n")
