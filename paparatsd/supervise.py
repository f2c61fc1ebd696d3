"""Child processes of the daemon: start, talk, time limits, restart with back-off.

`subprocess` is used here for our own Python children only; git has its own module.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import signal
import socket
import sys
from typing import TYPE_CHECKING, Any

import structlog

from paparatsd import errors, ipc
from paparatsd.errors import Broken, ChildDied, PaparatsError
from paparatsd.logs import write_relayed
from paparatsd.pipe import open_pipe
from paparatsd.settings import environment_of_children

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paparatsd.pipe import FramePipe

log = structlog.get_logger()

BACKOFF_S = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Waits before the n-th start in a row that did not survive `HEALTHY_S`."""
HEALTHY_S = 30.0
REAP_S = 2.0
"""How long a killed process may take to be noticed as gone."""


class RemoteError(ChildDied):
    """The child answered with an exception: `kind` is its class name."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def local_error(error: RemoteError, name: str) -> PaparatsError:
    """Return what the process `name` raised as our own class; others as Broken."""
    known = getattr(errors, error.kind, None)
    if isinstance(known, type) and issubclass(known, PaparatsError):
        return known(str(error))
    # The text of any other exception is a fragment (a KeyError says no more than the key).
    return Broken(
        f"the {name} process could not answer ({error.kind}: {error}); this is a defect of "
        "paparatsd: ask in other words, and report it with this message"
    )


class _Call:
    """One request under way."""

    __slots__ = ("future", "on_note")

    def __init__(self, future: asyncio.Future[Any], on_note: Callable[[Any], None] | None) -> None:
        self.future = future
        self.on_note = on_note


class Child:
    """One restartable child process, started on first use.

    `module` is run as `python -m module [arguments] FD`. A call that misses its deadline kills the
    child: a process that holds the GIL in native code cannot be asked to stop.
    """

    def __init__(
        self,
        name: str,
        module: str,
        arguments: Sequence[str] = (),
        *,
        inherit: Sequence[int] = (),
    ) -> None:
        """`inherit` are descriptors that the process gets under the same numbers."""
        self.name = name
        self._module = module
        self._arguments = tuple(arguments)
        self._inherit = tuple(inherit)
        self._process: asyncio.subprocess.Process | None = None
        self._pipe: FramePipe | None = None
        self._end_task: asyncio.Task[None] | None = None
        self._calls: dict[int, _Call] = {}
        self._ids = itertools.count(1)
        self._starting = asyncio.Lock()
        self._failures = 0
        self._started_at = 0.0
        self._stopping = False
        self.starts = 0
        self.on_start: Callable[[], Any] | None = None
        """Awaited after each (re)start, before the first call: lets the owner restore state."""

    @property
    def pid(self) -> int | None:
        """The process id while the child runs."""
        return self._process.pid if self._process is not None else None

    def is_running(self) -> bool:
        """Say whether the process is there now."""
        return self._process is not None

    @property
    def busy(self) -> bool:
        """Whether any call is under way."""
        return bool(self._calls)

    async def ensure_started(self) -> None:
        """Start the child unless it runs; waits out the back-off after failures."""
        if self.is_running():
            return
        async with self._starting:
            if self.is_running():  # somebody else started it while we waited
                return
            if self._stopping:
                raise ChildDied(f"the {self.name} process is stopping")
            await asyncio.sleep(BACKOFF_S[min(self._failures, len(BACKOFF_S) - 1)])
            await self._start()
            if self.on_start is not None:
                await self.on_start()

    async def _start(self) -> None:
        ours, theirs = socket.socketpair()
        try:
            process = await self._run(theirs)
            ours.setblocking(False)
            pipe = await open_pipe(ours, self._deliver)
        except BaseException:  # it may be given up at any await; the process ends without its pipe
            ours.close()
            raise
        finally:
            theirs.close()
        self._process, self._pipe = process, pipe
        self._started_at = asyncio.get_running_loop().time()
        self.starts += 1
        self._end_task = asyncio.create_task(
            self._until_ended(pipe, process), name=f"child-{self.name}"
        )
        log.debug("child_started", child=self.name, pid=process.pid)
        if self._stopping:  # it was told to while the process was being started
            _end(process)

    async def _run(self, theirs: socket.socket) -> asyncio.subprocess.Process:
        theirs.set_inheritable(True)
        started = asyncio.ensure_future(
            asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                self._module,
                *self._arguments,
                str(theirs.fileno()),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                pass_fds=(theirs.fileno(), *self._inherit),
                env=environment_of_children(),
                start_new_session=True,
            )
        )
        try:
            return await asyncio.shield(started)
        except asyncio.CancelledError:
            # asyncio would end a process half started by itself, and may reap it before the
            # watcher of children does, which then warns of an unknown process.
            process = await started
            _end(process)
            await process.wait()
            raise

    async def _until_ended(self, pipe: FramePipe, process: asyncio.subprocess.Process) -> None:
        """Reap the process when its end of the pipe closes; that tells the callers."""
        try:
            error = await pipe.closed
            if error is not None:
                log.error("child_reply_unreadable", child=self.name, exc_info=error)
        finally:
            await self._reap(process)

    def _deliver(self, request_id: int, kind: int, body: Any) -> None:  # noqa: ANN401 - any reply
        if kind == ipc.EVENT:
            write_relayed(self.name, body)
            return
        call = self._calls.get(request_id)
        if call is None:
            return
        if kind == ipc.NOTE:
            if call.on_note is not None:
                call.on_note(body)
            return
        del self._calls[request_id]
        if call.future.done():
            return
        if kind == ipc.REPLY:
            call.future.set_result(body)
        else:
            call.future.set_exception(RemoteError(*body))

    async def _reap(self, process: asyncio.subprocess.Process) -> None:
        if self._process is not process:
            return
        self._process = None
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
        _end(process)
        code = await process.wait()
        lived = asyncio.get_running_loop().time() - self._started_at
        self._failures = 0 if lived > HEALTHY_S or self._stopping else self._failures + 1
        if not self._stopping:
            log.warning("child_ended", child=self.name, code=code, calls=len(self._calls))
        calls, self._calls = self._calls, {}
        for call in calls.values():
            if not call.future.done():
                call.future.set_exception(ChildDied(f"the {self.name} process ended (code {code})"))

    async def call(
        self,
        operation: str,
        argument: Any = None,  # noqa: ANN401 - whatever the operation takes
        *,
        timeout_s: float,
        urgency: int = ipc.NORMAL,
        on_note: Callable[[Any], None] | None = None,
    ) -> Any:  # noqa: ANN401 - whatever the operation returns
        """Ask the child and return its reply.

        Raises ChildDied when it ends or misses the deadline (it is then killed and the next call
        starts a new one), RemoteError when it raised.
        """
        await self.ensure_started()
        pipe = self._pipe
        if pipe is None:
            raise ChildDied(f"the {self.name} process ended")
        request_id = next(self._ids)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._calls[request_id] = _Call(future, on_note)
        try:
            pipe.write(ipc.encode(request_id, ipc.REQUEST, (urgency, operation, argument)))
            async with asyncio.timeout(timeout_s):
                await pipe.drain()
                return await future
        except TimeoutError:
            self.kill()
            await self._wait_until_reaped()
            raise ChildDied(
                f"the {self.name} process did not answer {operation!r} within {timeout_s:g} s"
            ) from None
        except OSError as error:
            await self._wait_until_reaped()
            raise ChildDied(f"the {self.name} process ended") from error
        finally:
            self._calls.pop(request_id, None)

    async def _wait_until_reaped(self) -> None:
        """Let the end of a process be noticed, so that the next call starts a new one."""
        if self._end_task is not None:
            await asyncio.wait({self._end_task}, timeout=REAP_S)

    def kill(self) -> None:
        """End the child at once; the next call starts a new one."""
        if self._process is not None:
            _end(self._process)

    async def stop(self, within_s: float = 2.0) -> None:
        """Close the pipe, wait for the child to end by itself, then kill it."""
        self._stopping = True
        task, process = self._end_task, self._process
        if self._pipe is not None:
            self._pipe.close()
        if process is not None:
            try:
                async with asyncio.timeout(within_s):
                    await process.wait()
            except TimeoutError:
                _end(process)
                await process.wait()
        if task is not None:
            await asyncio.wait({task}, timeout=within_s)

    async def rest(self) -> None:
        """End an idle child; a later call starts it again."""
        await self.stop()
        self._stopping = False


def _end(process: asyncio.subprocess.Process) -> None:
    """Kill a child that still runs.

    Not by its own method: that looks for the exit status first and takes it from the event loop,
    which then warns of an unknown process.
    """
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
