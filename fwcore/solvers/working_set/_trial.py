"""Which of two engines is the cheaper, found out while a path is walked.

Costs are operations, not seconds, so that the same path is walked on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

POINTS = 3
"""Points that are compared, since a single one may be cheap by chance."""
# Points that cost so many times what they did at the last trial are worth another.
_COSTLIER = 3
# A trial that fails may cost a twelfth of what could be gained by it.
_WORTH = 12
SMALL = 1_000_000
"""Operations, half a millisecond: no choice is worth a trial where points cost less, and where they
cost more, each is worth a kernel call.
"""


class Outlook(NamedTuple):
    """What is to come of a path: all points ``ahead`` cost as much in the present engine as so many
    like the last ones, and the next ones ``grown`` times as much as these; ``least`` is what such a
    point costs in any engine, ``least_ahead`` what those ahead do, and ``price`` that of a change
    back.
    """

    ahead: float
    grown: float
    least: float
    least_ahead: float
    price: float


@dataclass
class Trial:
    """Once a few points cost enough, as many are tried in the other engine. It stays where they
    cost no more together than they would have in the present one, and is left as soon as they do.

    ``begun``: the work done when the point began, or the trial that is on; ``costs``: of the last
    points in the present engine; ``budget``: what the trial may cost, 0 where none is on; ``left``:
    its points to come; ``decided``: what the points cost that decided the last trial.
    """

    begun: int = 0
    costs: tuple[int, ...] = ()
    budget: int = 0
    left: int = 0
    decided: int = 0

    @property
    def on(self) -> bool:
        """Whether points are being tried."""
        return self.budget > 0

    def begin_point(self, work: int) -> None:
        """Count from here, unless a trial counts on."""
        self.begun = self.begun if self.on else work

    def passes_over(self, work: int) -> bool:
        """Pass over a point that cost too little to ask more of it: those before it count no
        longer. Whether it did.
        """
        small = not self.on and work - self.begun <= SMALL
        self.costs = () if small else self.costs
        return small

    def go_on(self, begun: int, cheap: bool) -> None:
        """Points were walked in a row, the last of which began at ``begun``. Where some of them
        were ``cheap`` but not free, those before count no longer.
        """
        self.begun, self.costs = begun, () if cheap else self.costs

    def begin_engine(self, work: int) -> None:
        """Count from here: the engine was changed. What that cost is not charged to its points."""
        self.begun, self.costs = work, ()

    def gives_up(self, work: int) -> bool:
        """Whether the trial has cost more than it may, and ends with that."""
        over = self.on and work - self.begun > self.budget
        self.budget = 0 if over else self.budget
        return over

    def end_point(self, work: int, outlook: Outlook) -> bool:
        """Whether to change the engine after a point.

        A trial may cost what the next points would in the present engine. One that fails costs what
        the last ones did, about, and the price of a change back. None begins where that is too much
        for what the points ahead could gain, where the last ones cost as little as they can, or
        where they do not cost some times what those did that decided the last trial.
        """
        if self.on:
            if self.gives_up(work):
                return True
            self.left -= 1
            if self.left == 0:
                self.budget, self.decided = 0, work - self.begun
            return False
        self.costs = (*self.costs, work - self.begun)[-POINTS:]
        spent = sum(self.costs)
        ahead, grown, least, least_ahead, price = outlook
        gain = ahead * spent / POINTS - least_ahead
        costly = spent > max(_COSTLIER * self.decided, POINTS * least)
        if len(self.costs) < POINTS or not costly or gain <= _WORTH * (price + spent):
            return False
        self.budget, self.left, self.decided = int(grown * spent), POINTS, spent
        return True
