"""What the tests of oracles on rows share: a problem of recovery, and an oracle that is asked."""

import numpy as np
import toys
from numba import njit

from fwcore import Problem
from fwcore.oracles import ROW_ORACLES, steepest_of_rows
from fwcore.oracles.choice import row_subset_oracle
from fwcore.solvers.frank_wolfe.fw import FwOptions

ORACLES = [oracle.name for oracle in ROW_ORACLES]


def recovery(m=400, p=800, k=15, seed=0, storage="dense"):
    """Columns on the unit sphere, k of them relevant, signal to noise 3; the problem and the
    relevant columns.
    """
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, p)) * (
        random.random((m, p)) < (0.3 if storage == "csc" else 1.0)
    )
    X /= np.linalg.norm(X, axis=0)
    relevant = random.choice(p, k, replace=False)
    signal = X[:, relevant] @ (np.sign(random.standard_normal(k)) * (1 + random.random(k)))
    noise = random.standard_normal(m)
    y = signal + noise * np.linalg.norm(signal) / np.linalg.norm(noise) / 3
    return Problem.from_arrays(toys.store(X, storage), y, standardize=False), set(relevant.tolist())


@njit(cache=True)
def _ask(oracle, design, rows, entries, residual, barred):
    return steepest_of_rows(oracle, design, rows, entries, residual, barred)


class Asked:
    """An oracle's answers about one residual, and the true products."""

    def __init__(self, problem, name, wanted=1, seed=0, residual=None, **given):
        self.problem, self.wanted = problem, wanted
        options = FwOptions(oracle=name, **given)
        self.oracle = row_subset_oracle(problem, options, seed)
        self.oracle.ask_for(wanted)
        self.residual = problem.y if residual is None else residual
        self.products = -problem.gradient(self.residual)

    def __call__(self, barred=()):
        out = np.zeros(self.problem.p, np.bool_)
        out[list(barred)] = True
        answer = _ask(
            self.oracle,
            self.problem.design,
            self.problem.rows,
            self.problem.entries,
            self.residual,
            out,
        )
        self.index, self.value, self.rows, self.entries, self.dots, self.certain = answer
        self.chosen = self.oracle.chosen[: self.wanted].tolist()
        sizes = np.where(out, 0.0, np.abs(self.products))
        self.right = set(np.argsort(-sizes, kind="stable")[: self.wanted].tolist())
        return self
