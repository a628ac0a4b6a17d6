import numpy as np
import pytest
import toys
from sklearn.linear_model import Lasso

from fwcore import ParameterError, cache, grids


def test_grids_span_two_decades_in_equal_ratios():
    problem = toys.problem()
    for grid, first, last in (
        (grids.delta_grid(3.0), 0.03, 3.0),
        (grids.lam_grid(problem), problem.lam_max, problem.lam_max / 100),
    ):
        assert grid.size == 100
        assert (grid[0], grid[-1]) == (pytest.approx(first), pytest.approx(last))
        ratios = grid[1:] / grid[:-1]
        np.testing.assert_allclose(ratios, ratios[0])


def test_delta_max_is_the_l1_norm_at_a_hundredth_of_lam_max():
    problem = toys.problem("easy")
    Z, t = toys.standardized(*toys.arrays("easy"))
    model = Lasso(
        alpha=problem.lam_max / 100 / len(t), fit_intercept=False, tol=1e-14, max_iter=10**6
    ).fit(Z, t)
    assert grids.delta_max(problem) == pytest.approx(np.abs(model.coef_).sum(), rel=1e-3)


def test_delta_max_is_announced_while_it_is_computed_then_cached_by_content(monkeypatch, tmp_path):
    monkeypatch.setenv("FWCORE_CACHE", str(tmp_path))
    problem = toys.problem("wide", seed=11)
    assert grids.known_reference(problem) is None
    told = list(grids.finding_reference(problem))
    assert [point for point, _ in told] == sorted(point for point, _ in told)
    assert {total for _, total in told} == {100}
    assert list(grids.finding_reference(toys.problem("wide", seed=11))) == []
    assert grids.known_reference(problem).delta_max == grids.delta_max(problem)
    assert grids.known_reference(toys.problem("wide", seed=12)) is None


def test_a_damaged_cache_entry_counts_as_none(monkeypatch, tmp_path):
    monkeypatch.setenv("FWCORE_CACHE", str(tmp_path))
    problem = toys.problem("wide", seed=11)
    value = grids.delta_max(problem)
    (entry,) = tmp_path.rglob("*.json")
    entry.write_text("{ truncated")
    assert grids.known_reference(problem) is None
    assert grids.delta_max(problem) == value


def test_a_cache_that_cannot_be_written_costs_no_result(monkeypatch, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("FWCORE_CACHE", str(blocked))
    cache.store("kind", "key", 1)
    # This process remembers it.
    assert cache.load("kind", "key") == 1
    assert grids.delta_max(toys.problem("wide", seed=13)) > 0


@pytest.mark.parametrize("points", [0, -1, 2.5, 10_001, True])
def test_points_out_of_range_are_refused(points):
    with pytest.raises(ParameterError, match=r"'points'.*\[1, 10000\]"):
        grids.delta_grid(1.0, points)


@pytest.mark.parametrize("delta_max", [0.0, -1.0, np.nan, np.inf])
def test_delta_max_must_be_positive_and_finite(delta_max):
    with pytest.raises(ParameterError, match="'delta_max'"):
        grids.delta_grid(delta_max)


@pytest.mark.parametrize("grid", [["a"], [[1.0], [2.0, 3.0]], [1j]])
def test_a_grid_is_of_numbers(grid):
    with pytest.raises(ParameterError, match=r"'lam grid' parameter .* a vector of numbers"):
        grids.check(grid, "penalty")
