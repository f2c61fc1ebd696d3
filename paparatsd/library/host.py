"""A daemon as a guest of a program: in a thread of its own, with an event loop of its own.

It listens nowhere. Who wants something of it asks from any other thread and waits.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import sys
import threading
from concurrent.futures import CancelledError, Future
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from paparatsd.daemon import Daemon, first_of
from paparatsd.errors import Broken, Busy, PaparatsError, Unavailable
from paparatsd.lock import FILE_NAME, StateLock, read_holder
from paparatsd.logs import log_as_guest
from paparatsd.systemd import Notifier

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from paparatsd.service import Service
    from paparatsd.settings import Settings

Answer = TypeVar("Answer")

CLOSE_S = 30.0
"""How long an orderly end may take; what is left then ends with this process."""


class Host:
    """Runs a daemon without listeners from `start` to `close`, for one state directory.

    Safe to be used by several threads. Ends by itself when the interpreter does.
    """

    def __init__(self, settings: Settings, home: Path, folder: Path) -> None:
        """`folder` is what messages say is indexed."""
        self._settings = settings
        self._home = home
        self._folder = folder
        self._pid = os.getpid()
        self._lock = StateLock(settings.places.state)
        self._guard = threading.Lock()
        self._started: Future[None] = Future()
        self._service: Service | None = None
        self._pending: set[Future[Any]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._main_task: asyncio.Task[Any] | None = None
        self._stop: anyio.Event | None = None
        self._closed = ""
        self._thread = threading.Thread(target=self._run, name="paparatsd-index", daemon=True)

    def start(self, prepare: Callable[[], object]) -> None:
        """Take the state directory, prepare it and start; returns when questions can be asked.

        Raises Busy while another index has the directory, what `prepare` raises, and what else
        keeps a daemon from starting.
        """
        if not sys.executable:
            raise Unavailable(
                "sys.executable is empty: it must name the interpreter, which runs the processes "
                "of an index"
            )
        log_as_guest()
        self._take_directory()
        try:
            prepare()
            _at_exit(self.close)
            self._thread.start()
        except BaseException:
            self._lock.release()
            raise
        try:
            self._started.result()
        except BaseException:
            self.close()
            raise

    def _take_directory(self) -> None:
        state = self._settings.places.state
        try:
            self._lock.acquire()
        except Busy:
            pid = read_holder(state / FILE_NAME)
            who = "in this process already" if pid == os.getpid() else f"by process {pid or '?'}"
            raise Busy(
                f"the index of {self._folder} in {state.parent} is held {who}; close it there, or "
                "choose another state_dir"
            ) from None

    def ask(
        self,
        work: Callable[[Service], Coroutine[Any, Any, Answer]],
        timeout_s: float | None = None,
    ) -> Answer:
        """Have `work` done in the daemon's loop and return what it returns, or raise its error.

        Raises Unavailable when closed, or when it takes longer than `timeout_s` seconds.
        """
        self._check_process()
        with self._guard:
            if self._closed:
                raise Unavailable(self._closed)
            if self._loop is None or self._service is None:
                raise Unavailable("the index is not open; open it again")
            future = asyncio.run_coroutine_threadsafe(work(self._service), self._loop)
            self._pending.add(future)
        try:
            return future.result(timeout_s)
        except CancelledError:
            raise Unavailable(self._closed or "the index was closed meanwhile") from None
        except TimeoutError:
            if future.done():
                raise
            raise Unavailable(f"the index did not answer within {timeout_s:g} s") from None
        finally:
            # Whoever is interrupted (Ctrl-C) does not leave the work behind.
            future.cancel()
            self._pending.discard(future)

    def _check_process(self) -> None:
        if os.getpid() != self._pid:
            raise Unavailable(
                f"this index was opened by process {self._pid}, before a fork; open one in this "
                "process, with a state_dir of its own"
            )

    def close(self) -> None:
        """Stop everything in order and give the state directory up; doing so twice is fine."""
        if os.getpid() != self._pid:
            return  # a fork has neither the thread nor the processes
        with self._guard:
            self._closed = self._closed or "the index is closed; open it again"
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._end)
        # A collection may run the finalizer in any thread, also in that of the loop.
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(CLOSE_S)

    # ------------------------------------------------------------------ the thread

    def _end(self) -> None:
        if self._stop is not None:
            self._stop.set()
        elif self._main_task is not None:
            self._main_task.cancel()  # it is still starting

    def _run(self) -> None:
        problem: BaseException = Unavailable("the index was closed before it was open")
        try:
            anyio.run(self._main)
        except BaseExceptionGroup as group:
            problem = _plain(group)
        except BaseException as error:  # noqa: BLE001 - whoever waits gets it
            problem = error
        finally:
            with self._guard:
                self._closed = self._closed or _why_ended(problem)
                pending = tuple(self._pending)
                # This object stays until the program ends, what it ran need not.
                self._service = self._stop = self._main_task = None
            if not self._started.done():
                self._started.set_exception(problem)
            for future in pending:
                future.cancel()
            self._lock.release()

    async def _main(self) -> None:
        daemon = Daemon(
            self._settings,
            reread=lambda: self._settings,
            home=self._home,
            notifier=Notifier({}),
            serve=self._lend,
            own_process=False,
        )
        with self._guard:
            if self._closed:
                return
            self._main_task, self._loop = asyncio.current_task(), asyncio.get_running_loop()
        try:
            await daemon.run()
        finally:
            with self._guard:
                self._loop = None

    async def _lend(
        self,
        service: Service,
        settings: object,
        control_path: object,
        expected_uid: object,
        inherited: object,
        ready: object,
        stop: anyio.Event,
        **others: object,
    ) -> None:
        """Let our threads ask until the daemon is told to stop; nothing listens."""
        self._service, self._stop = service, stop
        self._started.set_result(None)
        await stop.wait()


def _plain(group: BaseExceptionGroup[Any]) -> BaseException:
    try:
        return first_of(group)
    except BaseException as error:  # noqa: BLE001 - a defect, handed to whoever waits
        return error


def _why_ended(problem: BaseException) -> str:
    if isinstance(problem, PaparatsError):
        return f"the index has ended: {problem}"
    return f"the index has ended ({type(problem).__name__}: {problem}); open it again"


def _at_exit(action: Callable[[], None]) -> None:
    """Have something done before the interpreter ends its thread pools.

    `atexit` is too late for an orderly end, which needs them; it still is the one public way.
    """
    register = getattr(threading, "_register_atexit", atexit.register)
    try:
        register(action)
    except RuntimeError:
        raise Broken("an index cannot be opened while the interpreter is ending") from None
