"""`adjudicate --serve` where the extra `room` is not installed."""

import sys

from protoc_compiler.cli import main

sys.modules["starlette"] = None
sys.exit(main(["adjudicate", sys.argv[1], "--serve"], sys.stdin, sys.stdout, sys.stderr))
