"""Numbers at the ends of float64, tiny problems, ties: an answer, or one error that names what was
given.
"""

import numpy as np
import pytest
import scipy.sparse
import toys
from joblib.externals.loky import ProcessPoolExecutor

from fwcore import ParameterError, Problem, Status, all_solvers, design, grids, walk_path
from fwcore.solvers.external import _child as child
from fwcore.solvers.external._process import LibrarySolver, handed

SOLVERS = [s for s in all_solvers() if s.compiles]
LIBRARIES = [s for s in all_solvers() if not (s.compiles or s.missing)]


def drawn(seed):
    """An odd problem: (X, y, options of `Problem.from_arrays`)."""
    random = np.random.default_rng(seed)
    m, p = int(random.integers(1, 13)), int(random.integers(1, 16))
    X = random.standard_normal((m, p))
    y = X[:, : max(1, p // 3)].sum(axis=1) + 0.1 * random.standard_normal(m)
    if random.random() < 0.3:
        X *= 10.0 ** random.uniform(-8, 8, p)
    if random.random() < 0.3:
        X = X[:, random.integers(0, p, p)]
    if random.random() < 0.2:
        X = np.round(X)
    if random.random() < 0.2:
        X[:, random.integers(0, p)] = 3.0
    reach = random.choice([0.0, 15.0, 160.0, 300.0], p=[0.35, 0.35, 0.2, 0.1])
    # Values that overflow are what is asked about.
    with np.errstate(over="ignore"):
        X, y = (given * 10.0 ** random.uniform(-reach, reach) for given in (X, y))
    loss = str(random.choice(["squared", "logistic", "huber"]))
    if loss == "logistic":
        y = np.where(y > 0, 1.0, -1.0)
    standardize = [True, False, "centre"][random.integers(3 if loss == "squared" else 2)]
    given = {"loss": loss, "standardize": standardize, "positive": random.random() < 0.2}
    # Kernels are compiled for weights: not for every day.
    if seed >= 40 and random.random() < 0.2:
        given |= {"weights": 10.0 ** random.uniform(-8, 8, m), "standardize": False}
    if given["standardize"] is False or loss != "squared":
        given["intercept"] = random.random() < 0.3
    return X, y, given


def made(X, y, **options):
    """The problem, or the error that it is refused with."""
    try:
        return Problem.from_arrays(X, y, **options)
    except ParameterError as error:
        return error


def walked(problem, solver, seed, steps):
    """The path, or the error that it is refused with."""
    try:
        return walk_path(problem, solver, grids.grid(problem, solver.form, 3), seed=seed, **steps)
    except ParameterError as error:
        return error


def walk_all(seed, storage=np.asarray, solvers=SOLVERS):
    """How many of the solvers gave an answer, which must be finite."""
    X, y, options = drawn(seed)
    problem = made(storage(X), y, **options)
    if isinstance(problem, ParameterError):
        assert problem.name in ("X", "y", *options), problem
        return 0
    answers = 0
    for solver in solvers:
        if solver.lacks(problem.loss):
            continue
        steps = {"max_steps": 30} if "max_steps" in solver.Options.declared() else {}
        result = walked(problem, solver, seed, steps)
        if isinstance(result, ParameterError):
            given = ("X", "y", *options, *solver.Options.declared())
            assert result.name in given, (solver.name, result)
            continue
        assert np.isfinite(result.coefs.data).all(), (solver.name, options)
        assert np.isfinite(result.points["objective"]).all(), (solver.name, options)
        if solver.form != "support":
            # Infinite where a sign is not allowed, or what is beside the penalty is far off.
            assert not np.isnan(result.points["true_gap"]).any(), (solver.name, options)
        if solver.certified:
            told = result.points["true_gap"][result.points["status"] == Status.SMALL_GAP]
            tol = solver.Options.declared()["tol"].default
            assert (told <= (1.000_001 * tol + 1e-9) * problem.f0).all(), (solver.name, options)
        answers += 1
    return answers


def test_odd_problems_are_walked_or_refused():
    answers = [walk_all(seed) for seed in range(40)]
    assert sum(n > 0 for n in answers) > 15
    assert min(answers) == 0


@pytest.mark.slow
@pytest.mark.parametrize("hundred", range(20))
def test_two_thousand_odd_problems_are_walked_or_refused(hundred):
    storage = scipy.sparse.csc_array if hundred % 4 == 3 else np.asarray
    answers = [walk_all(seed, storage) for seed in range(100 * hundred, 100 * hundred + 100)]
    # Those that are not refused whole are walked by most solvers.
    assert sum(n > 5 for n in answers) > 30


@pytest.fixture(scope="module")
def one_process_a_library():
    """For all walks, each of which has one of its own otherwise: 10,000 would take hours."""
    processes = {}

    def taken(self, problem, state):
        if state.executor is None:
            state.executor = processes.setdefault(self.module, ProcessPoolExecutor(1))
            state.executor.submit(child.hold, self.module, *handed(problem)).result()
        return state.executor

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(LibrarySolver, "_process", taken)
        yield
    for process in processes.values():
        process.shutdown(wait=True)


@pytest.mark.slow
@pytest.mark.parametrize("hundred", range(20))
@pytest.mark.usefixtures("one_process_a_library")
def test_two_thousand_odd_problems_are_walked_or_refused_by_libraries(hundred):
    storage = scipy.sparse.csc_array if hundred % 4 == 3 else np.asarray
    seeds = range(100 * hundred, 100 * hundred + 100)
    answers = [walk_all(seed, storage, LIBRARIES) for seed in seeds]
    assert sum(n > 0 for n in answers) > 5


@pytest.mark.parametrize(
    ("times_x", "times_y", "standardize", "named"),
    [
        (1.0, 1e-200, True, "y"),
        (1.0, 1e100, True, "y"),
        (1.0, 1e200, False, "y"),
        (1e150, 1.0, True, "X"),
        (1e-200, 1.0, True, "X"),
        (1e20, 1.0, False, "X"),
    ],
)
def test_what_is_out_of_range_is_named(times_x, times_y, standardize, named):
    X, y = toys.arrays("easy")
    with pytest.raises(ParameterError, match=f"'{named}' parameter of Problem .* scale it"):
        Problem.from_arrays(X * times_x, y * times_y, standardize=standardize)


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("spoilt", [1e39, np.nan])
def test_what_a_type_does_not_hold_is_named(spoilt, standardize):
    X, y = toys.arrays("easy")
    X = X.copy()
    X[:, 2] *= 1e39
    with pytest.raises(ParameterError, match=r"'X' parameter of Problem .* in the range of their"):
        Problem.from_arrays(X, y, standardize=standardize, dtype="float32")
    X[3, 2] = spoilt
    stored = design.from_matrix(X)
    if np.isnan(spoilt):
        with pytest.raises(ParameterError, match=r"'X' parameter of Problem .* free of NaN"):
            Problem.from_arrays(stored, y, standardize=standardize)


@pytest.mark.parametrize("size", [1e-60, 1e-20, 1e20, 1e60])
@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_weights_out_of_range_are_named(loss, size):
    X, y = toys.arrays("easy")
    y = np.sign(y) if loss == "logistic" else y
    weights = np.full(y.size, size)
    with pytest.raises(ParameterError, match="'weights' parameter of Problem"):
        Problem.from_arrays(X, y, loss=loss, weights=weights, standardize=False)


@pytest.mark.parametrize("intercept", [False, True])
def test_weights_of_many_orders_cost_no_more_rounds(intercept):
    random = np.random.default_rng(0)
    X = np.vstack([np.zeros((1, 5)), random.standard_normal((200, 5))])
    y = X @ np.ones(5) + np.r_[0.0, 0.1 * random.standard_normal(200)]
    weights = np.r_[1e10, np.ones(200)]
    problem = Problem.from_arrays(X, y, weights=weights, intercept=intercept, standardize=False)
    lam = problem.lam_max * np.array([0.5, 0.1])
    result = walk_path(problem, "certified", lam, tol=1e-6, max_steps=100)
    assert result.status == Status.SMALL_GAP
    assert (result.points["true_gap"] <= 1.001e-6 * problem.f0).all()


@pytest.mark.parametrize("name", [solver.name for solver in SOLVERS if solver.resumes])
def test_steps_are_those_of_the_unscaled_problem(name):
    X, y = toys.arrays("easy")
    solver = next(s for s in SOLVERS if s.name == name)
    plain, scaled = Problem.from_arrays(X, y), Problem.from_arrays(X * 2.0**400, y * 2.0**-45)
    if solver.lacks(plain.loss):
        pytest.skip("the method does not know the squared loss")
    grid = grids.grid(plain, solver.form, 3, 1.0 if solver.form == "ball" else None)
    declared = solver.Options.declared()
    options = {"max_steps": 50} if "max_steps" in declared else {}
    # A move is measured in the unit of y, a gap by f(0).
    options |= {"rule": "gap", "tol": 1e-9} if "rule" in declared else {}
    times = 1.0 if solver.form == "support" else 2.0**-45
    one = walk_path(plain, name, grid, **options).coefs.toarray()
    two = walk_path(scaled, name, grid * times, **options).coefs.toarray()
    np.testing.assert_allclose(two * 2.0**45, one, rtol=0, atol=1e-9 * np.abs(one).max())


@pytest.mark.parametrize("times_x", [1e-130, 1e130])
@pytest.mark.parametrize("times_y", [2.0**-45, 2.0**45])
@pytest.mark.parametrize("name", ["fw", "cd", "certified", "omp"])
def test_a_scale_within_the_range_changes_the_answer_by_that_scale(name, times_x, times_y):
    X, y = toys.arrays("easy")
    plain, scaled = Problem.from_arrays(X, y), Problem.from_arrays(X * times_x, y * times_y)
    form = next(s.form for s in SOLVERS if s.name == name)
    grid = grids.grid(plain, form, 3, 1.0 if form == "ball" else None)
    options = {} if form == "support" else {"rule": "gap", "tol": 1e-6, "max_steps": 10**5}
    times = 1.0 if form == "support" else times_y
    one = walk_path(plain, name, grid, **options).coefs.toarray()
    two = walk_path(scaled, name, grid * times, **options).coefs.toarray()
    np.testing.assert_allclose(two / times_y, one, atol=1e-5)
