"""Pairwise Frank-Wolfe."""

from __future__ import annotations

from fwcore.solvers.frank_wolfe._away_steps import AwaySolver


class PairwiseFW(AwaySolver):
    """min 1/2 ||X a - y||^2 subject to sum abs(a) <= delta; a step moves weight from the worst atom
    to the steepest vertex.

    The gap of the trace is the true Frank-Wolfe gap before the step where all columns are looked
    at, and the sampled gap otherwise.
    """

    name = "pairwise_fw"
    title = "Pairwise Frank-Wolfe"
    reference = "Lacoste-Julien & Jaggi 2015, Algorithm 2"
    pairwise = True
