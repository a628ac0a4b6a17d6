import math
from itertools import pairwise

import pytest
import toys
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from fwcore import ParameterError, Walk, datasets, grids, sampling, walk_path
from fwcore.sampling import Count, Fraction, Hit, Shrink, Top, miss_probability, parse


def test_theorem_1_gives_194_for_the_papers_figures():
    assert Top(0.98, 0.02).kappa(10**6) == 194


def test_one_percent_of_pyrim_is_2014():
    assert parse("1%").kappa(201_376) == 2014


@pytest.mark.parametrize(
    ("p", "s", "rho"), [(10_000, 32, 0.99), (201_376, 100, 0.9), (50, 10, 0.5)]
)
def test_equation_12_is_the_least_count_that_hits_with_the_probability(p, s, rho):
    kappa = Hit(rho, s).kappa(p)
    assert (1 - s / p) ** kappa <= 1 - rho < (1 - s / p) ** (kappa - 1)
    assert miss_probability(p, kappa, s) <= 1 - rho


@given(st.integers(1, 500), st.integers(1, 500), st.integers(1, 500))
def test_miss_probability_is_hypergeometric_and_below_its_bound(p, kappa, s):
    kappa, s = min(kappa, p), min(s, p)
    exact = miss_probability(p, kappa, s)
    assert exact == pytest.approx(hypergeom.pmf(0, p, s, kappa), rel=1e-8, abs=1e-12)
    assert exact <= (1 - s / p) ** kappa + 1e-12


def test_the_schedule_shrinks_in_equal_ratios_from_end_to_end():
    rule = Shrink(0.1, 0.001)
    kappas = [rule.kappa(10**6, k / 10) for k in range(11)]
    assert (kappas[0], kappas[-1]) == (100_000, 1000)
    ratios = [b / a for a, b in pairwise(kappas)]
    assert max(ratios) - min(ratios) < 1e-3


@given(st.floats(1e-6, 1.0), st.integers(1, 10**7))
def test_a_fraction_is_rounded_up_and_never_leaves_the_range(fraction, p):
    kappa = Fraction(fraction).kappa(p)
    assert 1 <= kappa <= p
    assert kappa >= fraction * p * (1 - 1e-9) or kappa == p
    assert kappa < fraction * p + 1 or kappa == 1


@pytest.mark.parametrize(
    "rule", [Fraction(0.015), Count(2014), Top(0.9, 0.05), Hit(0.95, 12), Shrink(0.2, 0.03)]
)
def test_a_rule_reads_back_from_its_text(rule):
    assert parse(rule.text) == rule


def test_every_rule_is_in_the_table_with_title_and_formula():
    assert [kind.prefix for kind in sampling.RULES] == [
        "fraction",
        "count",
        "top",
        "hit",
        "hit-path",
        "shrink",
    ]
    assert all("κ" in kind.formula and kind.title for kind in sampling.RULES)


@pytest.mark.parametrize(
    "text", ["", "abc", "top:0.98", "hit:0.9,x", "1.5", "shrink:1%", "x%", "top:a,b"]
)
def test_text_that_is_no_rule_is_refused(text):
    with pytest.raises(ParameterError):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "0%",
        "101%",
        "-1%",
        "top:1,0.02",
        "top:0.98,0",
        "hit:1,3",
        "hit:0.9,0",
        "shrink:1%,2%",
        "nan%",
    ],
)
def test_numbers_out_of_range_are_refused(text):
    with pytest.raises(ParameterError):
        parse(text)


@pytest.mark.parametrize("count", [0, -3, 101])
def test_a_count_must_fit_the_problem(count):
    with pytest.raises(ParameterError, match=r"'kappa'.*an int in \[1, 100\]. Got"):
        parse(str(count)).kappa(100)


def test_hit_with_every_column_relevant_needs_one():
    assert Hit(0.99, 50).kappa(50) == 1
    assert math.isclose(miss_probability(10, 10, 1), 0.0)


def test_draws_that_certify():
    # One column of 1,000, 10 a draw: 0.99^N <= 0.02.
    assert sampling.draws_to_certify(1000, 10, 0.98) == 390
    assert sampling.draws_to_certify(1000, 10, 0.98, replace=True) == 392
    assert sampling.draws_to_certify(1000, 194, 0.98, 20) == 1
    assert sampling.draws_to_certify(1000, 1000, 0.99) == 1
    for p, kappa, rho, columns in ((50, 7, 0.9, 3), (400, 40, 0.999, 2), (10_000, 100, 0.5, 1)):
        n, q = (
            sampling.draws_to_certify(p, kappa, rho, columns),
            sampling.miss_probability(p, kappa, columns),
        )
        assert q**n <= 1 - rho < q ** (n - 1)
    for bad in ({"rho": 1.0}, {"rho": 0.0}, {"kappa": 0}, {"kappa": 51}, {"columns": 0}):
        with pytest.raises(ParameterError, match=f"'{next(iter(bad))}' parameter"):
            sampling.draws_to_certify(**({"p": 50, "kappa": 5, "rho": 0.9, "columns": 1} | bad))


def test_later_iterates_of_a_point_are_asked_for_more_draws():
    """The j-th gets 6 / (pi^2 j^2) of the error; all together no more than the whole."""
    p, kappa, rho = 1000, 10, 0.98
    q, left = sampling.miss_probability(p, kappa, 1), 0.0
    for streak in range(1, 200):
        draws = sampling.draws_to_certify(p, kappa, rho, streak=streak)
        assert q**draws <= 6 / (math.pi * streak) ** 2 * (1 - rho) < q ** (draws - 1)
        left += q**draws
    assert left <= 1 - rho
    assert sampling.draws_to_certify(p, p, rho, streak=5) == 1


def test_draws_that_certify_of_very_many_columns():
    """For one column q = 1 - kappa / p exactly, however large p."""
    for p, kappa in (
        (4_272_227, 1),
        (4_272_227, 42_723),
        (10**9, 100),
        (2**31 - 1, 1),
        (2**31 - 1, 1000),
    ):
        expected = math.log(0.02) / math.log1p(-kappa / p)
        assert sampling.draws_to_certify(p, kappa, 0.98) == pytest.approx(expected, rel=1e-9, abs=1)
    assert sampling.miss_probability(10**9, 1000, 10**6) == pytest.approx(
        math.exp(1000 * math.log1p(-1e-3)), rel=1e-3
    )


def test_a_rule_takes_the_active_columns_from_the_reference_path():
    rule = parse("hit-path:0.99")
    assert rule.waits
    assert rule.kappa(10_000) == 10_000
    resolved = rule.resolved(lambda: 122.3)
    assert not resolved.waits
    assert (resolved.text, resolved.kappa(10_000)) == (
        "hit-path:0.99",
        Hit(0.99, 123).kappa(10_000),
    )
    assert resolved.resolved(lambda: 1.0) is resolved
    assert parse("1%").resolved(lambda: 1.0) == parse("1%")
    for bad in ("hit-path:", "hit-path:2", "hit-path:0.9,3"):
        with pytest.raises(ParameterError):
            parse(bad)


def test_a_walk_takes_kappa_from_the_reference_path():
    problem = toys.problem("wide")
    reference = walk_path(problem, "certified", grids.lam_grid(problem), rule="gap", tol=1e-8)
    active = reference.points["nnz"]
    active = active[active > 0].mean()
    walk = Walk(problem, "sfw", [1.0], {"sampling": "hit-path:0.9"})
    assert walk.options.sampling.kappa(problem.p) == Hit(0.9, math.ceil(active)).kappa(problem.p)
    for _ in walk.snapshots():
        pass
    assert walk.result().settings["sampling"] == "hit-path:0.9"


@pytest.mark.parametrize(
    ("dataset", "printed"),
    [
        ("synthetic-10000-32", 372),
        ("synthetic-10000-100", 324),
        ("synthetic-50000-158", 1616),
        ("synthetic-50000-500", 1572),
    ],
)
def test_kappa_of_the_paper(dataset, printed):
    """Section 5.1 of Frandi et al.; their noise and their seed are not known."""
    problem = datasets.load(dataset)
    rule = parse("hit-path:0.99").resolved(lambda: grids.reference(problem).mean_active)
    assert rule.kappa(problem.p) == pytest.approx(printed, rel=0.03)
