"""What all commands share: errors as one sentence, exit statuses, progress, quiet and JSON output."""

from __future__ import annotations

import errno
import signal
import sys
import threading
import time
import warnings
from _thread import interrupt_main
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import FrameType
from typing import Annotated, TextIO

import typer

from .._kernel_cache import is_empty
from ..core.engine import Progress, no_progress
from ..core.errors import (
    FormerSpellingWarning,
    PrivacyWarning,
    SfumatoError,
    UnreadFilesWarning,
)
from ..core.notices import notices_to
from ..core.printing import printable

__all__ = [
    "NOTICE",
    "Console",
    "DebugFlag",
    "ForceFlag",
    "JsonFlag",
    "QuietFlag",
    "list_only",
    "running",
]

ForceFlag = Annotated[bool, typer.Option("--force", help="Replace an output that exists.")]
QuietFlag = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]
DebugFlag = Annotated[bool, typer.Option("--debug", hidden=True)]
"""Also `sfumato --debug …`, which is the one that is shown."""


DEBUG: ContextVar[bool] = ContextVar("debug", default=False)
"""Whether `sfumato --debug` was given."""

NOTICE = "first use: compiling for this machine (once, usually less than half a minute)"
_SOON = 2.0  # seconds


def list_only() -> None:
    """Take the place of a command that is listed in a help text and not called."""


@dataclass
class Console:
    """The output of a command: plain lines or JSON on stdout, progress and errors on stderr."""

    quiet: bool = False
    json: bool = False
    debug: bool = False

    def say(self, line: str = "") -> None:
        """Print a line for people; nothing with --quiet or --json."""
        if not (self.quiet or self.json):
            typer.echo(printable(line))

    def result(self, value: Mapping[str, object]) -> None:
        """Print the result for scripts; nothing without --json."""
        if self.json:
            import json

            typer.echo(json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False))

    @contextmanager
    def progress(self, label: str) -> Iterator[Progress]:
        """Show how far the work is: a bar on a terminal, a plain line every ten seconds elsewhere."""
        if self.quiet or self.json:
            yield no_progress
            return

        if sys.stderr.isatty():
            from rich.console import Console as RichConsole
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                TextColumn,
                TimeRemainingColumn,
            )
            from rich.progress import (
                Progress as Bar,
            )

            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
                       TimeRemainingColumn(), TextColumn("{task.fields[note]}"))  # fmt: skip
            with Bar(*columns, console=RichConsole(stderr=True), transient=True) as bar:
                task = bar.add_task(label, total=None, note="", visible=False)

                def advance(steps: int = 1, *, total: int | None = None, note: str = "") -> None:
                    bar.update(task, total=total, advance=steps, note=note, visible=True)

                with _notice(bar.console.print):
                    yield advance
        else:
            done, last = 0, time.monotonic()

            def report(steps: int = 1, *, total: int | None = None, note: str = "") -> None:
                nonlocal done, last
                done += steps
                if time.monotonic() - last >= 10:
                    last = time.monotonic()
                    of = f" of {total:,}" if total else ""
                    typer.echo(f"{label}: {done:,}{of} {note}".rstrip(), err=True)

            with _notice(lambda text: typer.echo(f"{label}: {text}", err=True)):
                yield report


@contextmanager
def _notice(tell: Callable[[str], object]) -> Iterator[None]:
    """Print notices, and that kernels are being compiled, if none has been before and the block takes a while."""
    if not is_empty():
        with notices_to(tell):
            yield
        return
    # Later than at once: a command that is refused soon prints one sentence only.
    timer = threading.Timer(_SOON, tell, (NOTICE,))
    timer.daemon = True
    timer.start()
    try:
        with notices_to(tell):
            yield
    finally:
        timer.cancel()


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Show a warning as one sentence, as errors are, without a place in the code."""
    shown = PrivacyWarning, FormerSpellingWarning, UnreadFilesWarning
    said: set[str] = set()  # a folder is read more than once
    with warnings.catch_warnings():
        for category in shown:
            warnings.simplefilter("always", category)
        others = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, UnreadFilesWarning) and str(message) in said:
                return
            said.add(str(message))
            if issubclass(category, shown):
                typer.echo(printable(f"sfumato: warning: {message}"), err=True)
            else:
                others(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield


@contextmanager
def _no_lost_interrupt() -> Iterator[None]:
    """Let Ctrl-C end the work where a library drops it: in a callback of compiled code, or as an error of its own."""
    others, handler = sys.unraisablehook, signal.getsignal(signal.SIGINT)
    pressed = threading.Event()
    again: list[threading.Timer] = []

    def press(number: int, frame: FrameType | None) -> None:
        pressed.set()
        signal.default_int_handler(number, frame)

    def raise_again(lost: sys.UnraisableHookArgs) -> None:
        if lost.exc_type is not KeyboardInterrupt:
            others(lost)
            return
        pressed.set()
        again.append(threading.Timer(0.05, interrupt_main))  # once the callback has returned
        again[-1].start()

    handles = (
        threading.current_thread() is threading.main_thread()
        and handler is signal.default_int_handler
    )
    if handles:
        signal.signal(signal.SIGINT, press)
    sys.unraisablehook = raise_again
    try:
        yield
    except Exception as error:
        if pressed.is_set():
            raise KeyboardInterrupt from error
        raise
    finally:
        for timer in again:
            timer.cancel()
        sys.unraisablehook = others
        if handles:
            signal.signal(signal.SIGINT, handler)


@contextmanager
def running(
    *, quiet: bool = False, as_json: bool = False, debug: bool = False
) -> Iterator[Console]:
    """Run a command's body: an error becomes one sentence on stderr and an exit status."""
    debug = debug or DEBUG.get()
    try:
        with _warnings_as_lines(), _no_lost_interrupt():
            yield Console(quiet=quiet, json=as_json, debug=debug)
    except SfumatoError as error:
        if debug:
            raise
        typer.echo(f"sfumato: {error}", err=True)
        raise typer.Exit(error.exit_status) from None
    except KeyboardInterrupt:
        typer.echo(
            "sfumato: Interrupted; no output was written. Finished parts of a publication are kept: the same "
            "command resumes, any other starts over.",
            err=True,
        )
        raise typer.Exit(130) from None
    except BrokenPipeError:
        raise typer.Exit(130) from None
    except MemoryError:
        typer.echo("sfumato: The machine ran out of memory; nothing was published.", err=True)
        raise typer.Exit(1) from None
    except OSError as error:
        if debug:
            raise
        if error.errno == errno.ENAMETOOLONG:
            typer.echo("sfumato: The name of a file or folder is too long.", err=True)
            raise typer.Exit(2) from None
        name = "" if error.filename is None else f" ({str(error.filename).rsplit('/', 1)[-1]})"
        typer.echo(f"sfumato: {error.strerror or 'a file could not be used'}{name}.", err=True)
        missing = isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError)
        raise typer.Exit(2 if missing else 1) from None
    except Exception as error:
        # An unforeseen error may carry a value of the data in its message: show its type only.
        if debug:
            raise
        typer.echo(
            f"sfumato: The work failed with an internal error ({type(error).__name__}); "
            "nothing was published. Hint: `sfumato --debug …` shows the traceback, which may hold data.",
            err=True,
        )
        raise typer.Exit(1) from None
