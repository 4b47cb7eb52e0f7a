"""Add evidence to the last seal of a protocol, or to the receipts of a finished run.

--key signs it with an Ed25519 key (a DSSE envelope), --ssh with an OpenSSH key, --timestamp asks an authority (RFC
3161) to state that it exists now. The evidence goes into `signatures.jsonl` beside it; `protoc verify` checks it
against the keys and certificates that the reader trusts.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from protoc_compiler.cli.io import Io
from protoc_compiler.cli.usage import Usage


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc sign`."""
    parser.add_argument(
        "target", type=Path, metavar="TARGET", help="a sealed protocol, or the folder of a finished run"
    )
    add_means(parser, "--key")


def add_means(parser: argparse.ArgumentParser, key: str) -> None:
    """The ways to sign; `key` is the name of the option for a key file."""
    parser.add_argument(key, dest="key", type=Path, metavar="KEY", help="an Ed25519 key (PEM or OpenSSH)")
    parser.add_argument("--ssh", type=Path, metavar="KEY", help="a key for `ssh-keygen -Y sign`")
    parser.add_argument("--timestamp", metavar="URL", help="an RFC 3161 time-stamp authority")


def run(args: argparse.Namespace, io: Io) -> int:
    """Sign, and tell what was added."""
    if not (args.key or args.ssh or args.timestamp):
        raise Usage("there is nothing to sign with", "--key KEY, --ssh KEY or --timestamp URL")
    return sign(args.target, args, io)


def sign(path: Path, args: argparse.Namespace, io: Io) -> int:
    """Add what the arguments ask for to a seal or receipt; the exit status."""
    from protoc_runtime.diagnostics import Refused
    from protoc_runtime.signing.targets import sign_target, targets

    try:
        found = targets(path)
        made = [line for on in found for line in sign_target(on, key=args.key, ssh_key=args.ssh, url=args.timestamp)]
    except Refused as refused:
        io.diagnose(refused.diagnostics)
        return 1
    io.out("".join(f"{line}\n" for line in made))
    return 0
