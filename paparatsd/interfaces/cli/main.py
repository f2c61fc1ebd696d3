"""Entry of `paparats`: one command, its errors as one sentence, its exit code.

A shell waits for this: a command's module, rich and everything else heavy are imported when they
are needed.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paparatsd.errors import Broken, PaparatsError, Unavailable
from paparatsd.exits import INTERRUPTED, exit_code_of
from paparatsd.interfaces.cli.context import Context
from paparatsd.interfaces.cli.output import Output, silence_closed_pipe
from paparatsd.interfaces.cli.parser import PLACES, parse
from paparatsd.locations import resolve_places
from paparatsd.settings import process_environment

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    environment = process_environment()
    _open_closed_streams()
    try:
        output = Output.of_process(environment)
        try:
            code = _run(parse(argv), output, environment)
        except SystemExit as stop:  # --help, --version and mistakes
            code = stop.code if isinstance(stop.code, int) else 0
        sys.stdout.flush()
    except BrokenPipeError:
        silence_closed_pipe()
        return 128 + signal.SIGPIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _open_closed_streams() -> None:
    """Give a stream that the shell has closed (`>&-`) a place where nothing is read."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - for good


def _run(arguments: argparse.Namespace, output: Output, environment: Mapping[str, str]) -> int:
    flags = {kind: value for kind in PLACES if (value := getattr(arguments, f"{kind}_dir"))}
    try:
        places = resolve_places(environment, flags)
    except PaparatsError as error:
        return _fail(error, output, as_json=arguments.json)
    try:
        context = Context(places, output, arguments, environment)
        code = _command(arguments.run)(context)
        context.tell_version()
    except Unavailable as error:
        from paparatsd.interfaces.cli.holder import elsewhere

        other = elsewhere(places)
        return _fail(Unavailable(other) if other else error, output, as_json=arguments.json)
    except PaparatsError as error:
        return _fail(error, output, as_json=arguments.json)
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        return _fail(Broken(f"the system refused: {what}"), output, as_json=arguments.json)
    return code


def _command(run: str) -> Callable[[Context], int]:
    module, _, function = run.partition(":")
    command: Any = getattr(import_module(f"paparatsd.interfaces.cli.{module}"), function)
    run_command: Callable[[Context], int] = command
    return run_command


def _fail(error: PaparatsError, output: Output, *, as_json: bool) -> int:
    if as_json:
        output.json({"error": {"code": error.code, "message": str(error)}})
    output.note(f"paparats: {error}")
    return exit_code_of(error)


if __name__ == "__main__":
    sys.exit(main())
