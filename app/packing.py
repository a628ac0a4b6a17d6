"""Parts of a run as bytes, as they are saved."""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kept import some_steps
from app.reached import Held

_STEPS_OF_A_POINT = 100
_ARRAYS = ("points", "lengths", "indices", "values", "trace")


def packed(walk: Any, start: int, stop: int, chunks: Sequence[Any]) -> bytes:
    """Points, coefficients and some of the steps."""
    columns = walk.columns[start:stop]
    trace = np.concatenate([walk.chunks[0][:0], *chunks])
    return _written(
        points=walk.points[start:stop],
        lengths=np.array([len(indices) for indices, _ in columns], np.int64),
        indices=np.concatenate([i for i, _ in columns] or [np.zeros(0, np.int64)]),
        values=np.concatenate([v for _, v in columns] or [np.zeros(0)]),
        trace=some_steps(trace, _STEPS_OF_A_POINT),
    )


def unpacked(pieces: Sequence[bytes]) -> dict[str, NDArray[Any]]:
    """The arrays of all pieces."""
    parts = [_read(piece) for piece in pieces]
    return {name: np.concatenate([part[name] for part in parts]) for name in _ARRAYS}


def packed_state(walk: Any, held: Held) -> bytes:
    """A state, and some steps of the point that was under way."""
    chunks = [rows for rows in walk.chunks[: held.chunks] if rows["point"][0] == held.reached]
    rows = np.concatenate([walk.chunks[0][:0], *chunks])
    state = np.frombuffer(held.state, np.uint8)
    return _written(state=state, rows=some_steps(rows, _STEPS_OF_A_POINT))


def unpacked_state(content: bytes) -> tuple[bytes, NDArray[Any]]:
    """Those again."""
    parts = _read(content)
    return parts["state"].tobytes(), parts["rows"]


def _written(**arrays: Any) -> bytes:
    target = io.BytesIO()
    np.savez(target, **arrays)
    return zlib.compress(target.getbuffer(), 1)


def _read(content: bytes) -> dict[str, NDArray[Any]]:
    with np.load(io.BytesIO(zlib.decompress(content))) as archive:
        return {name: archive[name] for name in archive.files}
