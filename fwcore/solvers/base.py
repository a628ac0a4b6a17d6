"""What a solver is: options, a state, and a kernel that advances the state by at most n steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba import njit

from fwcore.design import Floats, Ints
from fwcore.options import Options, WalkOptions
from fwcore.oracles.choice import Answer
from fwcore.problem import Problem
from fwcore.status import Status
from fwcore.trace import Rows

# Plain integers: a kernel's cache key must not hang on an enum class.
_SMALL_MOVE, _SMALL_GAP, _STEP_LIMIT = int(Status.SMALL_MOVE), int(Status.SMALL_GAP), int(Status.STEP_LIMIT)

WALK = np.dtype(
    [
        ("kappa", np.int64),
        ("value", np.float64),
        ("ridge", np.float64),
        ("moved_at_most", np.float64),
        ("gap_at_most", np.float64),
        ("small_gaps", np.int64),
        ("small_gaps_wanted", np.int64),
        ("max_steps", np.int64),
        ("point_steps", np.int64),
        ("steps", np.int64),
        ("dots", np.int64),
        ("entries", np.int64),
        ("empty", np.int64),
        ("outcome", np.int64),
    ]
)
"""Book-keeping common to all states, one record: value, ridge and limits of the point, and counters since the start of the path.

``small_gaps_wanted`` in a row end a point: 1 but where a small gap may be a matter of luck.
"""


def new_walk(problem: Problem, options: WalkOptions) -> Any:
    """The record at the start of a path, shape (1,). Computing X'y costs p dot products, and they are charged here."""
    walk = np.zeros(1, WALK)
    walk["moved_at_most"] = options.tol if options.rule == "moved" else -1.0
    walk["gap_at_most"] = options.tol * problem.f0 if options.rule == "gap" else -1.0
    walk["small_gaps_wanted"] = 1
    walk["max_steps"] = options.max_steps
    walk["dots"] = problem.p
    walk["entries"] = problem.entries
    return walk


def start_point(walk: Any, value: float, ridge: float = 0.0) -> None:
    """Open the point ``value`` in the book-keeping; (ridge / 2) ||a||^2 joins the loss."""
    walk["value"], walk["ridge"], walk["point_steps"], walk["outcome"] = value, ridge, 0, Status.RUNNING
    walk["small_gaps"] = 0


@dataclass
class GrowingState:
    """A run whose arrays grow with the support; ``held`` is the NamedTuple that kernels see."""

    held: Any

    @property
    def walk(self) -> Any:
        """The book-keeping."""
        return self.held.walk


@njit(nogil=True, cache=True)
def close_step(walk, row, gap, moved):  # type: ignore[no-untyped-def]
    """Count a step, write the counters to its row, and see whether a stopping rule ends the point.

    ``walk`` and ``row`` are records; a NaN ``gap`` or ``moved`` satisfies no rule.
    """
    walk.steps += 1
    walk.point_steps += 1
    row.step, row.dots, row.entries, row.empty = walk.steps, walk.dots, walk.entries, walk.empty
    row.gap, row.moved = gap, moved
    walk.small_gaps = walk.small_gaps + 1 if gap <= walk.gap_at_most else 0
    if walk.small_gaps >= walk.small_gaps_wanted:
        walk.outcome = _SMALL_GAP
    elif moved <= walk.moved_at_most:
        walk.outcome = _SMALL_MOVE
    elif walk.point_steps >= walk.max_steps:
        walk.outcome = _STEP_LIMIT


class Solver(ABC):
    """One method. Instances hold no state: all of a run is in what `init` returns.

    Attributes
    ----------
    name : str
        How it is called in a shell, a URL, a file.
    title, reference : str
        How it is called on the page, and who to cite.
    form : str
        See `fwcore.forms`.
    losses : tuple of str
    draws : "columns" or "rows"
        What random updates, if it makes any, look at.
    counts, compiles : bool
        Whether dot products and entries are known, and whether there are kernels to compile.
    Options : type
        Subclass of `WalkOptions`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    reference: ClassVar[str]
    form: ClassVar[str]
    losses: ClassVar[tuple[str, ...]]
    draws: ClassVar[str] = "columns"
    counts: ClassVar[bool] = True
    compiles: ClassVar[bool] = True
    Options: ClassVar[type[Options]] = WalkOptions

    @property
    def missing(self) -> str:
        """The command that installs what the method needs and does not find; empty where nothing is missing."""
        return ""

    def variant(self, options: Any) -> dict[str, Any]:
        """Those options, by name, for whose values kernels are compiled anew."""
        return {}

    @abstractmethod
    def init(self, problem: Problem, options: Any, seed: int) -> Any:
        """The state before the first point, a = 0.

        Raises
        ------
        ParameterError
            An option does not fit the problem.
        """

    @abstractmethod
    def set_point(self, problem: Problem, state: Any, options: Any, value: float, progress: float) -> None:
        """Go to the path point ``value``, warm-started; ``progress`` in [0, 1] is the part of the path already walked."""

    @abstractmethod
    def advance(self, problem: Problem, state: Any, n: int) -> Rows:
        """Up to ``n`` steps by one kernel call; fewer when the point's stopping rule holds. The rows that were filled.

        None are where a solver has more to do before its first step. The seconds of rows are left NaN, but where the work is done
        elsewhere.
        """

    @abstractmethod
    def coefficients(self, state: Any) -> tuple[Ints, Floats]:
        """Indices in increasing order and values of the non-zero coefficients, as copies."""

    def ridge(self, state: Any) -> float:
        """The weight r of (r / 2) ||a||^2 in the objective of the point; 0 but for an elastic net."""
        return float(state.walk["ridge"][0])

    def answer(self, state: Any) -> Answer | None:
        """What an oracle on a part of the rows answered in the last step; None of methods that have none."""
        return None

    def notes(self, state: Any) -> dict[str, Any]:
        """What a run found out besides its path, ready for JSON."""
        return {}

    def outcome(self, state: Any) -> Status:
        """Whether the point goes on, and if not, why."""
        return Status(int(state.walk["outcome"][0]))
