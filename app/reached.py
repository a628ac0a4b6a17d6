"""What a run has reached of its path, as the pictures and the words ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fwcore import Solver, Status


@dataclass(frozen=True)
class Held:
    """The state of a run between two chunks of steps, and how many points and chunks it had."""

    state: bytes
    reached: int
    chunks: int


@dataclass(frozen=True)
class Interruption:
    """What an interrupted run had reached: its name in the store, the digest of its problem, its
    path and some of its steps, and its state where that was saved.
    """

    uid: str
    content: str
    points: Any
    columns: Sequence[Any] = ()
    chunks: Sequence[Any] = ()
    state: bytes = b""


class Reached:
    """Of a run whose ``walk`` is being walked, was walked here, or was recorded."""

    walk: Any
    solver: Solver
    options: dict[str, Any]
    seed: int
    uid: str
    """Its name among all runs of all pages, under which it is saved."""
    owner: object = None
    """Whose it is: owners take turns at the workers."""
    label = ""
    """What its state is called, where that is not its state's own name."""

    content: str = ""
    """Hex digest of the problem that it was interrupted on, if it is walked on."""
    before: Any = None
    """Points that were reached when the run was interrupted, if it is walked on."""
    interruption: Interruption | None = None
    """What to walk on from, of a run that was interrupted."""

    @property
    def repeated(self) -> bool | None:
        """Whether those were reached again, bit for bit; None where that cannot be told yet."""
        return None

    @property
    def exact(self) -> bool:
        """Whether its result is at hand bit for bit."""
        return True

    @property
    def reached(self) -> int:
        """Points of the path so far."""
        return 0 if self.walk is None else int(self.walk.reached)

    @property
    def total(self) -> int:
        """Points of the whole path."""
        return 0 if self.walk is None else int(self.walk.grid.size)

    def kappa(self, planned: str = "", progress: float = 1.0) -> int | None:
        """The columns that a step looks at, so far along the path, or would by the rule that is
        ``planned``; None of methods that sample none.
        """
        declared = self.solver.Options.declared()
        if "sampling" not in declared or self.walk is None:
            return None
        rule = self.walk.options.sampling
        if planned and planned != rule.text:
            rule = declared["sampling"].read(planned)
        if rule.waits:
            return None
        return int(rule.kappa(int(self.walk.problem.p), progress))

    def counts(self, unit: str) -> bool:
        """Whether its whole cost is counted in that unit: a look at a part of a column is no dot
        product, and a library counts its seconds alone.
        """
        if unit == "dots":
            return bool(self.solver.counts_dots(self.walk.options))
        return unit == "seconds" or bool(self.solver.counts)

    @property
    def points(self) -> Any:
        """The table of the points so far, see `fwcore.path.POINT`."""
        return self.walk.points[: self.walk.reached]

    @property
    def relative_gaps(self) -> NDArray[Any]:
        """The true gap of each point, relative to f(0)."""
        return np.asarray(self.points["true_gap"] / self.walk.problem.f0)

    @property
    def own_gaps(self) -> NDArray[Any]:
        """The method's own gap at the end of each point, relative to f(0); NaN where it has
        none.
        """
        chunks, reached = self.walk.chunks, self.reached
        # Asked often, of ever more chunks: each is read once.
        read, known = self.__dict__.setdefault("_ends", ([0], {}))
        count = len(chunks)
        for rows in chunks[read[0] : count]:
            finite = rows["gap"][np.isfinite(rows["gap"])]
            if finite.size:
                known[int(rows["point"][-1])] = float(finite[-1])
        read[0] = count
        gaps = [known.get(k, float("nan")) for k in range(reached)]
        return np.array(gaps) / float(self.walk.problem.f0)

    @property
    def ended_by_chance(self) -> int:
        """Points that a draw without a descent direction ended."""
        return int((self.points["status"] == Status.EMPTY_DRAW).sum()) if self.reached else 0

    @property
    def last_column(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Indices and values of the coefficients of the last point."""
        indices, values = self.walk.columns[self.walk.reached - 1]
        return indices, values

    @property
    def error_name(self) -> str:
        """What the error of the loss is called."""
        return str(self.walk.problem.loss.error_name)

    @property
    def kappa_share(self) -> float | None:
        """kappa / n of a method that samples rows."""
        share = self.walk.notes.get("kappa_share")
        return None if share is None else float(share)

    @property
    def stopping(self) -> tuple[str, float] | None:
        """The stopping rule of a point and its tolerance; None where a library has rules of its
        own, or columns are counted.
        """
        declared = self.solver.Options.declared()
        if "rule" not in declared:
            return None
        rule, tol = (self.options.get(name, declared[name].default) for name in ("rule", "tol"))
        return str(rule), float(tol)

    def feature_name(self, j: int) -> str:
        """What the ``j``-th column is called."""
        return str(self.walk.problem.feature_names[j])

    def trace(self, column: str) -> NDArray[Any]:
        """A column of the trace so far."""
        # The worker appends to the chunks meanwhile.
        return np.concatenate([rows[column] for rows in list(self.walk.chunks)] or [np.zeros(0)])
