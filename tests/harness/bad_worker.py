"""A worker process that dies of some files: the real one, but for names that say what happens.

    python -m tests.harness.bad_worker MEMORY_BYTES FD

`crash` in a path: the process gets a fatal signal; `hang`: it never comes back; `hungry`: it runs
out of memory. With `_twice` in the path that happens only while the file is read with structure.
`vanish`: it is killed when it is asked what it recognises.
"""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING

from paparatsd import ipc
from paparatsd.indexing.worker import Builder

if TYPE_CHECKING:
    from pathlib import Path

    from paparatsd.indexing.jobs import BuildFile, BuildJob, Outcome, Recognised


class BadBuilder(Builder):
    """Builds files, unless their names forbid it."""

    def build_file(self, root: Path, file: BuildFile, job: BuildJob) -> Outcome:
        """Do what the name says."""
        if file.structure or "_twice" not in file.path:
            if "crash" in file.path:
                os.kill(os.getpid(), signal.SIGSEGV)
            if "hang" in file.path:
                threading.Event().wait()
            if "hungry" in file.path:
                raise MemoryError
        return super().build_file(root, file, job)

    def _recognise(self, job: BuildJob) -> list[Recognised]:
        if any("vanish" in file.path for file in job.files):
            os.kill(os.getpid(), signal.SIGKILL)
        return super()._recognise(job)


if __name__ == "__main__":
    ipc.serve_child(BadBuilder().handle)
