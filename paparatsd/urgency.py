"""Being scheduled soon: what a process asks of the kernel that answers questions now and then.

A process that sleeps most of the time has a claim on the processor when it is woken; but Linux lets
whoever runs finish its slice of some milliseconds first, builds and tests at a low priority
included. One that asks for a short slice itself comes first (Linux 6.12 and later; older ones
ignore it). It gets no more processor time than before.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import sys

SLICE_NS = 1_000_000
"""Shorter than the usual slice, which is what counts; with a tenth of it an answer is cut up."""
_SYSCALLS = {"x86_64": 314, "aarch64": 274}
"""Machine -> number of `sched_setattr`, which few C libraries have a function for."""
_NORMAL_POLICY = 0
_RESET_ON_FORK = 1


class _SchedulingAttributes(ctypes.Structure):
    """`struct sched_attr` of sched_setattr(2), its first version."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("policy", ctypes.c_uint32),
        ("flags", ctypes.c_uint64),
        ("nice", ctypes.c_int32),
        ("priority", ctypes.c_uint32),
        ("runtime", ctypes.c_uint64),
        ("deadline", ctypes.c_uint64),
        ("period", ctypes.c_uint64),
    )


def ask_for_short_slices(slice_ns: int = SLICE_NS) -> bool:
    """Have this process run soon whenever it is woken; return whether the kernel takes notice.

    Processes that it starts are as all others. Nothing changes where a policy of its own is set.
    """
    number = _SYSCALLS.get(platform.machine()) if sys.platform == "linux" else None
    if number is None or os.sched_getscheduler(0) != _NORMAL_POLICY:
        return False
    attributes = _SchedulingAttributes(
        size=ctypes.sizeof(_SchedulingAttributes),
        policy=_NORMAL_POLICY,
        flags=_RESET_ON_FORK,
        nice=os.getpriority(os.PRIO_PROCESS, 0),
        runtime=slice_ns,
    )
    with contextlib.suppress(OSError, AttributeError):
        call = ctypes.CDLL(None, use_errno=True).syscall
        return int(call(number, 0, ctypes.byref(attributes), 0)) == 0
    return False
