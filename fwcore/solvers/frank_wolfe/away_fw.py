"""Frank-Wolfe with away steps."""

from __future__ import annotations

from fwcore.solvers.frank_wolfe._away_steps import AwaySolver


class AwayFW(AwaySolver):
    """min 1/2 ||X a - y||^2 subject to sum abs(a) <= delta; a step goes toward the steepest vertex
    or away from the worst atom.

    Whichever promises more: linear convergence where plain Frank-Wolfe zigzags. The gap of the
    trace is the true Frank-Wolfe gap before the step where all columns are looked at, and the
    sampled gap otherwise.
    """

    name = "away_fw"
    title = "Away-step Frank-Wolfe"
    reference = "Guélat & Marcotte 1986; Lacoste-Julien & Jaggi 2015, Algorithm 1"
    pairwise = False
