"""What the papers prove, against what is measured."""

import numpy as np
import pytest
import scipy.sparse
import toys
from finite_sums import small
from numba import njit

from fwcore import ParameterError, Problem, Walk, find_solver, theory, walk_path
from fwcore.experiments import race
from fwcore.experiments.solver_spec import parse_specs
from fwcore.oracles import COLUMN_ORACLES, steepest


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("step", ["line-search", "open-loop"])
def test_frank_wolfe_keeps_to_jaggis_bound(loss, step):
    problem, _, _ = small(loss, n=40, p=30)
    delta, steps = 3.0, 300
    run = walk_path(problem, "fw", [delta], rule="moved", tol=1e-14, max_steps=steps, step=step)
    left = run.trace["objective"] - race.certified_minimum(problem, "ball", delta)
    bound = theory.frank_wolfe(problem, delta, left.size)[1:]
    assert (left <= bound + 1e-9 * problem.f0).all()
    assert theory.frank_wolfe(problem, delta, 3)[0] == problem.f0
    # Not by orders of magnitude: it says something.
    assert bound[-1] < 0.5 * problem.f0


@pytest.mark.parametrize("step", ["line-search", "open-loop"])
def test_a_bound_that_goes_on_holds_at_points_after_others(step):
    problem, _, _ = small(n=40, p=30)
    radii = [0.5, 1.0, 3.0, 6.0]
    solver = find_solver("fw")
    run = walk_path(problem, "fw", radii, rule="moved", tol=1e-14, max_steps=100, step=step)
    assert solver.bound_goes_on
    for k, delta in enumerate(radii):
        rows = run.trace[run.trace["point"] == k]
        left = rows["objective"] - race.certified_minimum(problem, "ball", delta)
        bound = theory.frank_wolfe(problem, delta, left.size)[1:]
        assert (left <= bound + 1e-9 * problem.f0).all()


def test_the_diameters_are_those_of_the_image_of_the_ball():
    problem, X, _ = small(n=12, p=5)
    for order in (1.0, 2.0, np.inf):
        vertices = [2.0 * s * X[:, j] for j in range(5) for s in (1, -1)]
        widest = max(np.linalg.norm(u - v, order) for u in vertices for v in vertices)
        assert theory.diameter(problem, 2.0, order) == pytest.approx(widest)


PROPOSITION_2 = {"empty": "redraw", "redraw_until": 1, "certify": 0.9999, "rule": "gap"}


def means(share, seeds, steps=120):
    """f after each step, the mean of the seeds, on the design that refutes Proposition 2: min f is
    0. As Algorithm 2 is printed, but that an empty draw ends nothing.
    """
    y = np.zeros(5000)
    y[:2] = 0.5
    problem = Problem.from_arrays(scipy.sparse.eye_array(5000).tocsc(), y, standardize=False)
    options = PROPOSITION_2 | {"sampling": share, "tol": 1e-14, "max_steps": steps}
    runs = [walk_path(problem, "sfw", [1.0], seed=seed, **options) for seed in range(seeds)]
    return problem, np.mean([run.trace["objective"] for run in runs], axis=0)


@pytest.mark.parametrize(("share", "first"), [("0.1%", 32), ("1%", 50), ("10%", None)])
def test_proposition_2_of_frandi_et_al_is_false_for_small_samples_and_what_holds(share, first):
    """The mean of 300 seeds is above 4 C_f / (k + 2) from step ``first`` on, never above the bound
    that grows with p / kappa.
    """
    problem, mean = means(share, 300)
    fraction = float(share[:-1]) / 100
    printed = theory.frank_wolfe(problem, 1.0, mean.size)[1:]
    above = np.flatnonzero(mean > printed) + 1
    assert (above.size == 0) if first is None else abs(int(above[0]) - first) <= 3
    holds = theory.sampled_columns(problem, 1.0, mean.size, fraction)[1:]
    # Three standard errors of a mean of 300 values in [0, 1/4].
    assert (mean <= holds + 3 * 0.125 / 300**0.5).all()


def test_all_columns_are_frank_wolfe_and_shares_out_of_range_are_refused():
    problem = toys.problem("wide")
    whole = theory.sampled_columns(problem, 1.0, 500, 1.0)
    few = theory.sampled_columns(problem, 1.0, 500, 0.01)
    assert (np.diff(whole) <= 0).all()
    assert (whole <= few).all()
    # The recursion sums up to at most 2 C / (k + 2), the bound of open-loop steps.
    assert (whole[1:] <= theory.frank_wolfe(problem, 1.0, 500)[1:] * (1 + 1e-12)).all()
    for share in (0.0, 1.1):
        with pytest.raises(ParameterError, match="'share'"):
            theory.sampled_columns(problem, 1.0, 5, share)


@njit
def hits(oracle, design, sigma, image, kappa, draws):
    """In how many draws a column with a gradient is found."""
    found = 0
    for _ in range(draws):
        found += steepest(oracle, design, sigma, 1.0, image, 0.0, kappa, False, 0.0)[1] != 0.0
    return found


@pytest.mark.parametrize("name", ["subset", "blocks"])
@pytest.mark.parametrize("column", [0, 17, 89])
def test_lemma_1_the_scaled_sampled_gradient_is_unbiased(name, column):
    """A gradient e_j is seen in kappa / p of 10,000 draws, up to four standard errors."""
    problem, kappa, draws = toys.problem("wide"), 12, 10_000
    sigma = np.where(np.arange(problem.p) == column, 1.0, 0.0)
    kind = next(kind for kind in COLUMN_ORACLES if kind.name == name)
    options = find_solver("sfw").Options(draw=name, block=4)
    oracle = kind.drawn(problem.design, sigma, options, 3)
    found = hits(oracle, problem.design, sigma, np.zeros(problem.m), kappa, draws)
    share = kappa / problem.p
    assert abs(found / draws - share) < 4 * (share * (1 - share) / draws) ** 0.5


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("batch", [1, 5])
def test_sampled_rows_keep_to_the_bounds_of_negiar_et_al(loss, batch):
    problem, _, _ = small(loss, n=30, p=8)
    delta, turns, gaps, left = 1.0, 400, [], []
    least = race.certified_minimum(problem, "ball", delta)
    options = {"batch": str(batch), "rule": "moved", "tol": 1e-14, "max_steps": turns}
    for seed in range(20):
        walk = Walk(problem, "sfw_rows", [delta], options, seed=seed)
        indices, values, steps = np.zeros(0, np.int64), np.zeros(0), walk.snapshots(1)
        before, after = [], []
        for _ in range(turns):
            snapshot = next(steps) if not before else steps.send(1)
            verdict = problem.judge(indices, values, "ball", delta)
            before.append(abs(verdict.true_gap - snapshot.rows["gap"][-1]))
            indices, values = snapshot.indices, snapshot.coefficients
            after.append(problem.judge(indices, values, "ball", delta).objective - least)
        gaps.append(before)
        left.append(after)
    proven = theory.sampled_rows(problem, delta, turns, batch)
    assert (np.mean(left, axis=0) <= proven[1:]).all()
    assert (np.mean(gaps, axis=0) <= theory.stochastic_gap(problem, delta, turns, batch)[1:]).all()
    if batch == 1:
        assert (proven <= theory.theorem_1(problem, delta, turns)).all()


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_coordinate_descent_keeps_to_theorem_1(loss):
    problem, _, _ = small(loss, n=30, p=12)
    lam = 0.1 * problem.lam_max
    least = race.certified_minimum(problem, "penalty", lam)
    best = walk_path(problem, "certified", [lam], rule="gap", tol=1e-12).coefs.toarray()[:, 0]
    updates, options = 5, {"updates": 5, "rule": "moved", "tol": 1e-14, "max_steps": 200}
    runs = [walk_path(problem, "scd", [lam], seed=seed, **options).trace for seed in range(30)]
    steps = min(run.size for run in runs)
    mean = np.mean([run["objective"][:steps] + lam * run["l1"][:steps] for run in runs], axis=0)
    bound = theory.coordinate_descent(problem, updates * steps, best)[updates::updates]
    assert (mean - least <= bound).all()


def test_mirror_descent_keeps_to_theorem_2_at_a_random_iterate():
    problem, _, _ = small("logistic", n=40, p=30)
    lam, updates, each = 0.1 * problem.lam_max, 4000, 100
    least = race.certified_minimum(problem, "penalty", lam)
    best = walk_path(problem, "certified", [lam], rule="gap", tol=1e-12).coefs.toarray()[:, 0]
    exponent = max(2.0, 2.0 * np.log(problem.p))
    eta, bound = theory.mirror_step(problem, exponent, updates, best)
    options = {"eta": eta, "updates": each, "max_steps": updates // each, "tol": 1e-14}
    found = []
    for seed in range(30):
        ends = walk_path(problem, "smidas", [lam], seed=seed, answer="random", **options).points
        found.append(ends["objective"][0] + lam * ends["l1"][0] - least)
    assert 0 < np.mean(found) <= bound
    assert bound < problem.f0


def test_solvers_say_what_is_proven_of_them_and_races_keep_to_it():
    problem, _, _ = small("squared", n=30, p=20)
    delta = 1.0
    least = race.certified_minimum(problem, "ball", delta)
    specs = parse_specs("fw,sfw:50%,sfw_rows:5,fw:step=short,away_fw")
    curves = race.race(problem, specs, delta, entries=200 * problem.entries, bounds=True)
    for curve in curves[:3]:
        assert (np.diff(curve.steps) > 0).all()
        # Of a mean; single runs of so many steps are not far from it.
        assert (curve.objective - least <= 1.5 * curve.bound)[1:].all()
    assert all(np.isnan(curve.bound).all() for curve in curves[3:])
