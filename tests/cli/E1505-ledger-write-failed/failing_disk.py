"""The command line, on a disk that fails once a case has been asked."""

import errno
import os
import sys
from pathlib import Path

from protoc_compiler.cli import main

flush = os.fsync


def failing(descriptor):
    if any(b'"case_started"' in path.read_bytes() for path in Path("runs").glob("*/*/ledger.jsonl")):
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    flush(descriptor)


os.fsync = failing
sys.exit(main(sys.argv[1:], sys.stdin, sys.stdout, sys.stderr))
