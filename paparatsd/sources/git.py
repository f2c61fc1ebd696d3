"""Runs git, in one of three ways; nothing else in the package does.

*read* answers questions about content. Nothing the repository says may be executed: the program
is absolute, the environment is built from nothing, every key that names a program is overridden,
verbs and options are checked against a list, the network is off, output and time are bounded,
and the whole process group is killed when a bound is passed.

*own* makes and renews clones that are ours alone (`clone_policy.py`): the same settings, another
list of verbs, and the network over one transport.

*config* answers how the user configured git, with the user's own environment (without `GIT_*`):
only `config --get...` and `rev-parse --git-path`, neither of which looks at content.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from paparatsd.errors import GitFailed
from paparatsd.settings import process_environment
from paparatsd.sources.clone_policy import (
    OWN_SETTINGS,
    check_own_arguments,
    own_variables,
    without_secrets,
)
from paparatsd.sources.git_policy import READ_SETTINGS, check_arguments, with_safe_options

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence

    from paparatsd.sources.clone_policy import Access

OLDEST_GIT = (2, 34)
_PIPE_BUFFER_BYTES = 1 << 20
_READ_BYTES = 1 << 18
_COMPLAINT_BYTES = 1 << 14
_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
_PROTECTED_SCOPES = frozenset({"system", "global", "command"})
_CONFIG_KEYS = r"^(core\.excludesfile|safe\.directory|mailmap\.file)$"


@dataclass(frozen=True, slots=True)
class GitContext:
    """What the user's own git configuration says of one checkout, and which git to run.

    With `bare_dir`, git's own directory, git is asked as if there were no work tree: then it reads
    no attributes there, which could be a pipe, and the same commit compares alike everywhere.
    """

    excludes_file: str | None = None
    safe_directories: tuple[str, ...] = ()
    mailmap_file: str | None = None
    program: str = ""
    bare_dir: str = ""


def find_git(environment: Mapping[str, str] | None = None) -> str:
    """Return the absolute path of git, or raise GitFailed."""
    known = process_environment() if environment is None else environment
    found = shutil.which("git", path=known.get("PATH") or _SYSTEM_PATH)
    if found is None:
        raise GitFailed(f"git was not found on PATH; install git {_dotted(OLDEST_GIT)} or newer")
    return str(Path(found).absolute())


async def read_context(
    root: Path, *, environment: Mapping[str, str] | None = None, deadline_s: float = 10
) -> GitContext:
    """Read once per checkout what the user's configuration adds; refuse a git that is too old."""
    known = process_environment() if environment is None else environment
    program = find_git(known)
    await _check_version(program, root, known, deadline_s)
    args = ["config", "--show-scope", "-z", "--type=path", "--get-regexp", _CONFIG_KEYS]
    output = await _run_config(program, root, args, known, deadline_s)
    values = _parse_scoped(output)
    excludes = [value for _, key, value in values if key == "core.excludesfile"]
    mailmaps = [value for _, key, value in values if key == "mailmap.file"]
    # A repository must not vouch for itself: git reads this key only from the user and the system.
    safe = [v for scope, key, v in values if key == "safe.directory" and scope in _PROTECTED_SCOPES]
    return GitContext(
        excludes_file=excludes[-1] if excludes else _default_excludes(known),
        safe_directories=tuple(safe),
        mailmap_file=mailmaps[-1] if mailmaps else None,
        program=program,
    )


async def config_value(
    root: Path,
    key: str,
    *,
    environment: Mapping[str, str] | None = None,
    deadline_s: float = 10,
) -> str | None:
    """Return the user's effective value of one key in this checkout, or None when unset."""
    if not re.fullmatch(r"[A-Za-z][\w.-]*", key):
        raise GitFailed(f"{key!r} is not the name of a git setting")
    known = process_environment() if environment is None else environment
    args = ["config", "-z", "--get", key]
    output = await _run_config(find_git(known), root, args, known, deadline_s)
    return os.fsdecode(output.removesuffix(b"\0")) if output else None


async def git_path(
    root: Path,
    name: str,
    *,
    environment: Mapping[str, str] | None = None,
    deadline_s: float = 10,
) -> Path:
    """Return where git keeps `name` for this checkout, absolute, `core.hooksPath` respected."""
    known = process_environment() if environment is None else environment
    args = ["rev-parse", "--git-path", name]
    output = await _run_config(find_git(known), root, args, known, deadline_s)
    return root / os.fsdecode(output.removesuffix(b"\n"))


async def run_git(
    root: Path,
    args: Sequence[str],
    *,
    context: GitContext | None = None,
    deadline_s: float = 30,
    stdin: bytes | None = None,
    max_output_bytes: int = 256 << 20,
    ok_codes: tuple[int, ...] = (0,),
) -> bytes:
    """Run one allow-listed verb in `root` in the *read* way and return what it wrote.

    Raises GitFailed when git is missing, refuses, passes the deadline or writes too much.
    """
    chunks: list[bytes] = []
    size = 0
    async with stream_git(
        root, args, context=context, deadline_s=deadline_s, stdin=stdin, ok_codes=ok_codes
    ) as stream:
        async for chunk in stream:
            size += len(chunk)
            if size > max_output_bytes:
                raise GitFailed(f"{_title(args, root)} wrote more than {max_output_bytes} bytes")
            chunks.append(chunk)
    return b"".join(chunks)


@asynccontextmanager
async def stream_git(
    root: Path,
    args: Sequence[str],
    *,
    context: GitContext | None = None,
    deadline_s: float = 30,
    stdin: bytes | None = None,
    ok_codes: tuple[int, ...] = (0,),
) -> AsyncIterator[AsyncIterator[bytes]]:
    """Run one allow-listed verb in the *read* way; yields an iterator over chunks of its output.

    The deadline covers the time spent waiting for git, not the time between chunks. The exit
    code is checked when the iterator ends; leaving the block early kills git.
    """
    check_arguments(args)
    context = context or GitContext()
    program = context.program or find_git()
    command = [program, *_global_options(context, args[0]), *with_safe_options(args)]
    title = _title(args, root)
    # Without a work tree git takes the attributes of where it is for those of its top.
    place = Path(context.bare_dir) if context.bare_dir else root
    async with (
        _started(command, place, _read_environment(program), stdin, title) as process,
        aclosing(_chunks(process, title, deadline_s, ok_codes)) as chunks,
    ):
        yield chunks


async def run_own(
    root: Path,
    args: Sequence[str],
    *,
    access: Access | None = None,
    deadline_s: float = 60,
    max_output_bytes: int = 64 << 20,
) -> bytes:
    """Run one allow-listed verb in the *own* way, in `root`, and return what it wrote.

    Without `access` git reaches no other repository. Raises GitFailed, without any secret in it.
    """
    check_own_arguments(args)
    known = process_environment()
    program = find_git(known)
    options = [part for setting in OWN_SETTINGS for part in ("-c", setting)]
    command = [program, "--no-pager", *options, *args]
    environment = _read_environment(program) | own_variables(root, access, known)
    title = _title(args, root)
    chunks: list[bytes] = []
    size = 0
    try:
        async with (
            _started(command, root, environment, None, title) as process,
            aclosing(_chunks(process, title, deadline_s, (0,))) as stream,
        ):
            async for chunk in stream:
                size += len(chunk)
                if size > max_output_bytes:
                    break
                chunks.append(chunk)
    except GitFailed as error:
        secrets = () if access is None else access.secrets
        raise GitFailed(
            without_secrets(str(error), secrets), without_secrets(error.complaint, secrets)
        ) from None
    if size > max_output_bytes:
        raise GitFailed(f"{title} wrote more than {max_output_bytes} bytes")
    return b"".join(chunks)


def _global_options(context: GitContext, verb: str) -> list[str]:
    settings = list(READ_SETTINGS)
    settings += [f"safe.directory={directory}" for directory in context.safe_directories]
    # Always said, so that the key in a repository's own file decides only by way of `context`.
    settings.append(f"core.excludesFile={context.excludes_file or os.devnull}")
    if context.mailmap_file:
        settings.append(f"mailmap.file={context.mailmap_file}")
    options = ["--no-pager"]
    if context.bare_dir:
        options += [f"--git-dir={context.bare_dir}", "--bare"]
    if verb != "check-ignore":  # which takes paths as they are, and refuses this option
        options.append("--literal-pathspecs")
    for setting in settings:
        options += ["-c", setting]
    return options


def _read_environment(program: str) -> dict[str, str]:
    return {
        "PATH": f"{Path(program).parent}:{_SYSTEM_PATH}",
        "LC_ALL": "C",
        "GIT_ALLOW_PROTOCOL": "none",  # beats protocol.<name>.allow of a repository's own file
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_PAGER": "cat",
        "GIT_TERMINAL_PROMPT": "0",
    }


async def _run_config(
    program: str, root: Path, args: Sequence[str], known: Mapping[str, str], deadline_s: float
) -> bytes:
    """Run in the *config* way; an unset key (code 1) is an empty answer."""
    environment = {key: value for key, value in known.items() if not key.startswith("GIT_")}
    environment |= {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    title = _title(args, root)
    async with _started([program, *args], root, environment, None, title) as process:
        chunks = [chunk async for chunk in _chunks(process, title, deadline_s, (0, 1))]
    return b"".join(chunks)


async def _check_version(
    program: str, root: Path, known: Mapping[str, str], deadline_s: float
) -> None:
    output = await _run_config(program, root, ["version"], known, deadline_s)
    found = re.match(rb"git version (\d+)\.(\d+)", output)
    if found is None:
        raise GitFailed(f"{program} does not say which version it is; is it really git?")
    version = (int(found[1]), int(found[2]))
    if version < OLDEST_GIT:
        raise GitFailed(
            f"{program} is git {_dotted(version)}, which is too old; "
            f"install git {_dotted(OLDEST_GIT)} or newer"
        )


def _dotted(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"


def _parse_scoped(output: bytes) -> list[tuple[str, str, str]]:
    """Return (scope, key, value) of what `config --show-scope -z --get-regexp` wrote."""
    fields = os.fsdecode(output).split("\0")
    entries = []
    for scope, entry in zip(fields[::2], fields[1::2], strict=False):
        key, _, value = entry.partition("\n")
        entries.append((scope, key, value))
    return entries


def _default_excludes(known: Mapping[str, str]) -> str | None:
    """Return git's own default for `core.excludesFile`, which needs the HOME we do not pass on."""
    if known.get("XDG_CONFIG_HOME"):
        return str(Path(known["XDG_CONFIG_HOME"]) / "git" / "ignore")
    if known.get("HOME"):
        return str(Path(known["HOME"]) / ".config" / "git" / "ignore")
    return None


@asynccontextmanager
async def _started(
    command: Sequence[str],
    root: Path,
    environment: Mapping[str, str],
    stdin: bytes | None,
    title: str,
) -> AsyncIterator[Process]:
    """Start a process in a group of its own; on leaving, nothing of the group is alive."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=root,
            env=dict(environment),
            stdin=DEVNULL if stdin is None else PIPE,
            stdout=PIPE,
            stderr=PIPE,
            limit=_PIPE_BUFFER_BYTES,
            process_group=0,
        )
    except (OSError, ValueError) as exc:
        raise GitFailed(f"{title} could not be started: {exc}") from exc
    try:
        if stdin is not None and process.stdin is not None:
            # Not drained: asyncio feeds the pipe while the output is read, so neither side waits.
            process.stdin.write(stdin)
            process.stdin.close()
        yield process
    finally:
        if not _is_over(process):
            await _kill_group(process)


def _is_over(process: Process) -> bool:
    """Whether git and everybody who inherited its pipes has ended."""
    streams = (process.stdout, process.stderr)
    return process.returncode is not None and all(s is None or s.at_eof() for s in streams)


async def _kill_group(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with anyio.CancelScope(shield=True), anyio.move_on_after(5):
        for stream in (process.stdout, process.stderr):
            while stream is not None and await stream.read(_READ_BYTES):
                pass
        await process.wait()


async def _chunks(
    process: Process, title: str, deadline_s: float, ok_codes: tuple[int, ...]
) -> AsyncGenerator[bytes, None]:
    """Yield the output; raise GitFailed at the deadline or for an exit code that is not ok.

    Standard error is collected by asyncio meanwhile, up to a bound; who floods it blocks, and
    ends at the deadline.
    """
    left_s = deadline_s
    stdout, stderr = process.stdout, process.stderr
    if stdout is None or stderr is None:
        raise GitFailed(f"{title} was started without pipes")
    try:
        while True:
            started = time.monotonic()
            async with asyncio.timeout(left_s):
                chunk = await stdout.read(_READ_BYTES)
            left_s -= time.monotonic() - started
            if not chunk:
                break
            yield chunk
        async with asyncio.timeout(left_s):
            complaint = await stderr.read()
            code = await process.wait()
    except TimeoutError as exc:
        raise GitFailed(f"{title} did not answer within {deadline_s:g} s") from exc
    if code not in ok_codes:
        said = _first_line(complaint) or f"exit code {code}"
        whole = complaint[-_COMPLAINT_BYTES:].decode("utf-8", "backslashreplace")
        raise GitFailed(f"{title} failed: {said}", whole)


def _title(args: Sequence[str], root: Path) -> str:
    return f"git {args[0] if args else ''} in {printable(str(root))}"


def _first_line(complaint: bytes) -> str:
    """Return git's own first error line: a `fatal:` or `error:` one if there is any."""
    lines = [line for line in complaint.decode("utf-8", "backslashreplace").split("\n") if line]
    for line in lines:
        if line.startswith(("fatal:", "error:")):
            return printable(line[:500])
    return printable(lines[0][:500]) if lines else ""


def printable(text: str) -> str:
    """Return the text with everything that is not printable escaped."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii")
        for c in text
    )
