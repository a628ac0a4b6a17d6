"""Saved runs, read from the store to be shown again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from app import shelf
from app.history import INTERRUPTED, LIVE, History
from app.kept import Kept, KeptProblem, KeptWalk, Origin
from app.packing import unpacked, unpacked_state
from app.settings import Experiment


@dataclass(frozen=True)
class Saved:
    """A saved run: its problem, its name and what it was made of; ``kept``, what it had reached, is
    None where that was no point and no step that was saved.
    """

    experiment: Experiment
    name: str
    solver: str
    options: dict[str, Any]
    seed: int
    kept: Kept | None


def load(history: History, owner: str, uid: str) -> Saved | None:
    """A saved run; None where there is none of that owner."""
    facts = history.facts(owner, uid)
    if facts is None:
        return None
    pieces = history.pieces(uid)
    experiment = Experiment(**facts["experiment"])
    kept = _kept(uid, facts, experiment, pieces, history.state(uid)) if pieces else None
    made_of = facts["solver"], facts["settings"], facts["seed"]
    return Saved(experiment, facts["name"], *made_of, kept)


def _kept(
    uid: str,
    facts: dict[str, Any],
    experiment: Experiment,
    pieces: list[bytes],
    held: bytes | None,
) -> Kept:
    """What a run had reached."""
    arrays = unpacked(pieces)
    ends = np.cumsum(arrays["lengths"])[:-1]
    parts = zip(np.split(arrays["indices"], ends), np.split(arrays["values"], ends), strict=True)
    # Of no column, `split` makes one.
    columns = [*parts][: len(arrays["points"])]

    def problem() -> Any:
        return shelf.load(
            experiment.dataset, experiment.split_seed, experiment.test_fraction, experiment.loss
        )

    names = {int(j): name for j, name in facts["names"].items()}
    known = KeptProblem(experiment.loss, facts["f0"], facts["p"], names, problem)
    grid = np.array(facts["grid"])
    state, under_way = (b"", arrays["trace"][:0]) if held is None else unpacked_state(held)
    walk = KeptWalk(known, grid, arrays["points"], columns, arrays["trace"], facts, under_way)
    status, at = facts["status"], f"at point {walk.reached} of {len(grid)}"
    label = status if status in (INTERRUPTED, LIVE) else "saved"
    message = {
        INTERRUPTED: f"Interrupted {at}. Run walks it on to the same bytes.",
        LIVE: f"It goes on elsewhere, and was {at} when it was opened here.",
    }.get(status, "Saved. Press Run to walk it again.")
    origin = Origin(uid, facts["seed"], facts.get("content", ""), status == INTERRUPTED, state)
    return Kept(facts["solver"], facts["settings"], walk, label, message, origin)
