"""`python -m protoc_compiler`, and the installed scripts `protoc` and `evalprotoc`."""

from __future__ import annotations

import sys


def script() -> None:
    """Run the command line on this process's arguments and streams, and end with its exit status."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from protoc_runtime.version import __version__

        sys.stdout.write(f"protoc {__version__}\n")
        return
    from protoc_compiler.cli import main

    for stream in (sys.stdout, sys.stderr):
        # What an author writes must come out under every locale.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(main(sys.argv[1:], sys.stdin, sys.stdout, sys.stderr))


if __name__ == "__main__":
    script()
