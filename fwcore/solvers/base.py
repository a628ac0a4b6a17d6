"""What a solver is: options, a state, and a kernel that advances the state by at most n steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numba import njit

from fwcore.design import Design
from fwcore.kernels.records import zero_records
from fwcore.kernels.streaks import draws_in_streak
from fwcore.kernels.types import Floats, Ints
from fwcore.losses import Loss, is_weighted
from fwcore.options import Options, WalkOptions
from fwcore.oracles.choice import Answer, asks_rows
from fwcore.problem import Problem
from fwcore.status import Status
from fwcore.trace import Rows, new_rows

# Plain integers: a kernel's cache key must not depend on an enum class.
_RUNNING, _SMALL_MOVE, _SMALL_GAP, _STEP_LIMIT, _EMPTY_DRAW = (
    int(Status.RUNNING),
    int(Status.SMALL_MOVE),
    int(Status.SMALL_GAP),
    int(Status.STEP_LIMIT),
    int(Status.EMPTY_DRAW),
)

COUNTERS = np.dtype(
    [
        ("kappa", np.int64),
        ("value", np.float64),
        ("ridge", np.float64),
        ("moved_at_most", np.float64),
        ("gap_at_most", np.float64),
        ("positive", np.bool_),
        ("small_gaps", np.int64),
        ("streaks", np.int64),
        ("log_error", np.float64),
        ("log_miss", np.float64),
        ("max_steps", np.int64),
        ("point_steps", np.int64),
        ("steps", np.int64),
        ("dots", np.int64),
        ("entries", np.int64),
        ("empty", np.int64),
        ("outcome", np.int64),
    ]
)
"""Book-keeping common to all states, one record: value, ridge and limits of the point, and counters
since the start of the path.

``small_gaps`` in a row, in the latest of the ``streaks`` of a point, end it: one does, except where
a draw may miss what makes a gap large, with the probability whose logarithm is ``log_miss``. Then
there are so many that a point ends too early with the probability exp(``log_error``) at most.
"""


def new_counters(problem: Problem, options: WalkOptions) -> Any:
    """The record at the start of a path, shape (1,). Computing X'y costs p dot products, and they
    are charged here.
    """
    counters = zero_records(1, COUNTERS)
    rule, tol = options.rule, options.tol
    counters["moved_at_most"] = tol if rule == "moved" else -1.0
    counters["gap_at_most"] = tol * problem.f0 if rule == "gap" else -1.0
    counters["log_miss"] = -np.inf
    counters["max_steps"] = options.max_steps
    counters["positive"] = problem.positive
    counters["dots"] = problem.p
    counters["entries"] = problem.entries
    return counters


@njit(nogil=True, cache=True)
def start_point(counters, value, ridge=0.0):
    """Open the point ``value`` in the book-keeping, shape (1,); (ridge / 2) ||a||^2 joins the
    loss.
    """
    book = counters[0]
    book.value, book.ridge, book.outcome = value, ridge, _RUNNING
    book.point_steps, book.small_gaps, book.streaks = 0, 0, 0


@dataclass
class RunState:
    """A run: ``arrays`` is the NamedTuple that kernels see, which may be replaced by a larger one;
    ``engine`` is what makes the steps, where a method has more than one.
    """

    arrays: Any
    engine: Any = None

    @property
    def counters(self) -> Any:
        """The book-keeping."""
        return self.arrays.counters


@njit(nogil=True, cache=True)
def record(counters, row, gap, moved):
    """Count a step, and write the counters, the gap and the move to its row; NaN where unknown."""
    counters.steps += 1
    counters.point_steps += 1
    row.step, row.dots, row.entries = counters.steps, counters.dots, counters.entries
    row.empty, row.gap, row.moved = counters.empty, gap, moved


@njit(nogil=True, cache=True)
def check_gap(counters, gap):
    """End the point where enough gaps in a row were small."""
    if not gap <= counters.gap_at_most:
        counters.small_gaps = 0
        return
    counters.small_gaps += 1
    if counters.small_gaps == 1:
        counters.streaks += 1
    wanted = draws_in_streak(counters.log_error, counters.log_miss, counters.streaks)
    if counters.small_gaps >= wanted:
        counters.outcome = _SMALL_GAP


@njit(nogil=True, cache=True)
def check_move(counters, moved):
    """End the point where no coefficient moved by more than the tolerance."""
    if counters.outcome == 0 and moved <= counters.moved_at_most:
        counters.outcome = _SMALL_MOVE


@njit(nogil=True, cache=True)
def check_empty(counters):
    """End the point where no descent vertex is found: a step of length zero, a small move."""
    if counters.moved_at_most >= 0.0:
        counters.outcome = _EMPTY_DRAW


@njit(nogil=True, cache=True)
def check_limit(counters):
    """End the point at its step limit."""
    if counters.outcome == 0 and counters.point_steps >= counters.max_steps:
        counters.outcome = _STEP_LIMIT


@njit(nogil=True, cache=True)
def check_stop(counters, gap, moved):
    """Whether a step whose gap and move are both known ends the point: by gap, move or limit."""
    check_gap(counters, gap)
    check_move(counters, moved)
    check_limit(counters)


class Ended(NamedTuple):
    """A point that `Solver.walk_points` has walked to its end: the ``rows`` made until then, and
    what `outcome`, `ridge` and `coefficients` then say.
    """

    rows: int
    outcome: Status
    ridge: float
    support: tuple[Ints, Floats]


NEEDS = {
    "closed_line_search": "a closed-form line search",
    "curvature_bound": "a bound of its curvature",
}
"""What a solver may need of a loss: an attribute of `fwcore.losses.Loss`, and what it is called."""


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
    family : str
        Whose company it keeps in the menu of the page.
    certified : bool
        Whether it is made to reach a small true gap at every point: the first such of a form that
        takes a problem is the reference of others (`certified_solver`).
    needs : tuple of str
        What it needs of a loss, of `NEEDS`; a loss that has all of it is walked.
    positive, unpenalised, weights : bool
        Whether it walks problems with the constraint a >= 0, with an intercept or columns that have
        no penalty, and with weights of the samples: its kernels then take `Problem.samples` for y.
    draws : "columns" or "rows"
        What random updates, if it makes any, look at.
    most_entries : int, optional
        The largest design that it takes where it has to make it dense; None where it need not.
    counts, compiles : bool
        Whether dot products and entries are known, and whether there are kernels to compile.
    resumes : bool
        Whether a state is all in the walk, so that another process can go on from it: in arrays
        and in classes of fwcore. A walk of any other begins again.
    bound_goes_on : bool
        Whether `bound` holds from every feasible start that is no worse than a = 0, such as the
        point before.
    Options : type
        Subclass of `WalkOptions`.

    >>> from fwcore import find_solver
    >>> solver = find_solver("cd")
    >>> solver.form, solver.needs, solver.title
    ('penalty', ('closed_line_search',), 'Coordinate descent')
    """

    name: ClassVar[str]
    title: ClassVar[str]
    reference: ClassVar[str]
    form: ClassVar[str]
    family: ClassVar[str] = "Others"
    certified: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ()
    positive: ClassVar[bool] = False
    unpenalised: ClassVar[bool] = False
    weights: ClassVar[bool] = False
    draws: ClassVar[str] = "columns"
    most_entries: ClassVar[int | None] = None
    counts: ClassVar[bool] = True
    compiles: ClassVar[bool] = True
    resumes: ClassVar[bool] = True
    bound_goes_on: ClassVar[bool] = True
    Options: ClassVar[type[Options]] = WalkOptions

    @property
    def missing(self) -> str:
        """The command that installs what the method needs and does not find; empty where nothing is
        missing.
        """
        return ""

    def lacks(self, loss: Loss) -> tuple[str, ...]:
        """What it needs of a loss, in words, and ``loss`` does not have."""
        return tuple(
            words for need, words in NEEDS.items() if need in self.needs and not getattr(loss, need)
        )

    def misfits(self, problem: Problem) -> Iterator[tuple[str, str, Any]]:
        """What a problem has that the method does not know: parameter, rule, what was got."""
        # First, since parabolas with such columns have weights that nobody gave.
        if problem.unpenalised.indices.size and not self.unpenalised:
            rule = "left out: this method penalises every column"
            yield "unpenalised", rule, problem.unpenalised.indices.tolist()
        if is_weighted(problem.loss) and not self.weights:
            yield "weights", "left out: this method does not know weights of samples", "some"
        if lacking := self.lacks(problem.loss):
            yield "loss", f"one with {' and '.join(lacking)}", problem.loss.text
        if problem.positive and not self.positive:
            yield "positive", "False: this method does not know the constraint a >= 0", True
        if problem.intercept and not self.unpenalised:
            yield "intercept", "False: this method has no intercept", True

    def variant(self, options: Any) -> dict[str, Any]:
        """Those options, by name, for whose values kernels are compiled again."""
        return {}

    def rehearsals(self, options: Any, loss: Loss) -> tuple[dict[str, Any], ...]:
        """Options with each of which a toy is walked, so that nothing is left to be compiled."""
        return (self.variant(options),)

    def is_large(self, design: Design, options: Any) -> bool:
        """Whether a run on ``design`` may need kernels that a toy does not."""
        return False

    def rehearse(self, problem: Problem, options: Any, large: bool) -> None:
        """Compile, on a toy, what walks of it leave out, and what ``large`` runs need."""
        return

    @abstractmethod
    def init(self, problem: Problem, options: Any, seed: int) -> Any:
        """The state before the first point, a = 0.

        Raises
        ------
        ParameterError
            An option does not fit the problem.
        """

    @abstractmethod
    def set_point(
        self, problem: Problem, state: Any, options: Any, value: float, progress: float
    ) -> None:
        """Go to the path point ``value``, warm-started; ``progress`` in [0, 1] is the part of the
        path already walked.
        """

    @abstractmethod
    def advance(self, problem: Problem, state: Any, n: int) -> Rows:
        """Up to ``n`` steps by one kernel call; fewer when the point's stopping rule holds. The
        rows that were filled.

        None are where a solver has more to do before its first step. The seconds of rows are left
        NaN, except where the work is done elsewhere.
        """

    def walk_points(
        self, problem: Problem, state: Any, options: Any, values: Floats, progress: float, n: int
    ) -> tuple[Rows, Sequence[Ended]]:
        """Go to the path point ``values[0]`` as `set_point` does; and where the method can, walk
        it, and those of ``values`` that follow, by up to ``n`` steps of one kernel call: the rows
        that were filled, and the points that ended. Rows after theirs are of one that goes on.

        What is walked is the same, bit by bit, as point by point.
        """
        self.set_point(problem, state, options, float(values[0]), progress)
        return new_rows(0), ()

    @abstractmethod
    def coefficients(self, state: Any) -> tuple[Ints, Floats]:
        """Indices in increasing order and values of the non-zero coefficients, as copies."""

    def ridge(self, state: Any) -> float:
        """The weight r of (r / 2) ||a||^2 in the objective; 0 unless it is an elastic net."""
        return float(state.counters["ridge"][0])

    def bound(self, problem: Problem, options: Any, value: float, steps: int) -> Floats | None:
        """What is proven, at most, of the mean of f - min f after 0, 1, ... ``steps`` steps from a
        = 0, or from any better point where `bound_goes_on` (`fwcore.theory`); None where nothing is
        that can be computed.
        """
        return None

    def counts_dots(self, options: Any) -> bool:
        """Whether dot products with whole columns are all that it looks at, so that their number is
        a cost to compare.
        """
        return self.counts and self.draws == "columns" and not asks_rows(options)

    def answer(self, state: Any) -> Answer | None:
        """What an oracle on a part of the rows answered in the last step; None of methods that have
        none.
        """
        return None

    def notes(self, state: Any) -> dict[str, Any]:
        """What a run found out besides its path, ready for JSON."""
        return {}

    def outcome(self, state: Any) -> Status:
        """Whether the point goes on, and if not, why."""
        return Status(int(state.counters["outcome"][0]))
