"""What a run was measured on: processor, number of cores, memory. A latency says nothing without it."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from pathlib import Path

_GIB = 1 << 30


def hardware() -> dict[str, str]:
    """The identity of this machine as far as it tells: `processor`, `cores`, `memory` (in GiB), `system`."""
    found = {
        "processor": _processor(),
        "cores": str(os.cpu_count() or ""),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
    }
    return {name: value for name, value in found.items() if value}


def label() -> str:
    """The same in one line."""
    told = hardware()
    cores = f"{told['cores']} cores" if "cores" in told else ""
    return ", ".join(part for part in (told.get("processor", ""), cores, told.get("memory", "")) if part)


def _processor() -> str:
    with suppress(OSError, UnicodeError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() in ("model name", "Model", "cpu model") and value.strip():
                return " ".join(value.split())
    return platform.processor() or platform.machine()


def _memory() -> str:
    with suppress(OSError, ValueError, AttributeError):
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return f"{size / _GIB:.1f} GiB" if size > 0 else ""
    return ""
