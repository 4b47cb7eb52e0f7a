"""`python -m protoc_compiler`, and the installed scripts `protoc` and `evalprotoc`."""

from __future__ import annotations

import os
import sys

INTERRUPTED = 130  # the exit status, as `cli` gives it
_MOMENT = 0.001  # seconds

# Commands that hold nothing open when they are done: taking their trees apart would be a tenth of the time.
_ENDING_AT_ONCE = frozenset(("check", "compile", "diff", "fmt", "schema"))


def script() -> None:
    """Run the command line on this process's arguments and streams, and end with its exit status."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # it was closed before the process began
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open to the end
    if sys.argv[1:] in (["--version"], ["-V"]):
        from protoc_runtime.version import __version__

        sys.stdout.write(f"protoc {__version__}\n")
        return
    at_once = bool(sys.argv[1:2]) and sys.argv[1] in _ENDING_AT_ONCE
    sys.unraisablehook = _unraisable
    try:
        status = _main()
        if not at_once and status != INTERRUPTED:
            _take_no_interrupt()
    except KeyboardInterrupt:  # before `main` could see it, or once more while it told the first
        sys.stderr.write("protoc: interrupted\n")
        status = INTERRUPTED
    if status == INTERRUPTED or at_once:
        _end(status)  # the interpreter would raise the signal again where it had come amid an import
    sys.exit(status)


def _main() -> int:
    import gc

    from protoc_compiler.cli import main

    # Trees of a spec die by their count of references; looking for cycles among them costs a tenth of the time.
    gc.set_threshold(1_000_000, 20, 20)
    for stream in (sys.stdout, sys.stderr):
        # What an author writes must come out under every locale.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    return main(sys.argv[1:], sys.stdin, sys.stdout, sys.stderr)


def _unraisable(fault: sys.UnraisableHookArgs) -> None:
    """What is raised where nothing can catch it, as in a callback of an import. An interrupt would be lost there, under
    a traceback: it comes again a moment later."""
    if fault.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(fault)
        return
    import signal

    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, _MOMENT)


def _take_no_interrupt() -> None:
    """Everything is done and told; Python would answer an interrupt of its own end with a traceback."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end(status: int) -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # nobody reads it any more
            status = status or 2
    os._exit(status)


if __name__ == "__main__":
    script()
