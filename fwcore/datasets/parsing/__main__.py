"""The process that reads files for `fwcore.datasets.parsing.guarded`, which starts it with a pipe's
number, and the bytes that it may grow by before it is to be replaced.
"""

from __future__ import annotations

import contextlib
import os
import resource
import sys
from multiprocessing.connection import Connection
from typing import Any

from fwcore.datasets.parsing import FORMATS, Limits, ParseOptions, Source, read_source
from fwcore.errors import DatasetError

_NICE = 10
# Copies that are made on the way to the matrix.
_COPIES = 4


def main() -> None:
    """Read what comes through the pipe until it is closed."""
    os.nice(_NICE)
    # Here, so that neither the time nor the memory of a file is spent on it.
    for form in FORMATS.values():
        assert callable(form.read)
    with Connection(int(sys.argv[1])) as pipe, contextlib.suppress(EOFError):
        pipe.send(True)
        most_kept = _bytes_of("VmRSS") + int(sys.argv[2])
        while True:
            source, options, limits = pipe.recv()
            if own := _bytes_of("VmData"):
                most = own + _COPIES * (limits.memory + source.size)
                resource.setrlimit(
                    resource.RLIMIT_DATA, (most, resource.getrlimit(resource.RLIMIT_DATA)[1])
                )
            answer = _answer(source, options, limits)
            pipe.send((answer, _bytes_of("VmRSS") > most_kept))


def _answer(source: Source, options: ParseOptions, limits: Limits) -> Any:
    """What was read, or the error that says why it was not."""
    try:
        return read_source(source, None, options, limits)
    except DatasetError as error:
        return error


def _bytes_of(kind: str) -> int:
    """Memory of this process: VmData is what is writable, VmRSS what is held; zero where that is
    not known.
    """
    with contextlib.suppress(OSError, ValueError), open("/proc/self/status") as status:
        for line in status:
            if line.startswith(kind):
                return int(line.split()[1]) << 10
    return 0


if __name__ == "__main__":
    main()
