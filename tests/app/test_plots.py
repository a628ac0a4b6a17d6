"""Pictures of results, without a browser."""

import holoviews as hv
import numpy as np
import pytest

from app.plots import plot, race_curves
from fwcore import ParameterError, datasets, walk_path
from fwcore.experiments import compare, race
from fwcore.experiments.solver_spec import parse_specs


def curve(name, scale=1.0):
    cost = np.array([0.0, 10.0, 20.0])
    left, gap = scale * np.array([3.0, 2.0, 1.0]), np.array([np.nan, 0.2, 0.1])
    return race.Curve(
        name,
        cost,
        np.full(3, np.nan),
        cost / 100,
        left,
        np.array([0, 0.1, 0.2]),
        gap,
        gap,
        steps=cost / 10,
        bound=np.array([np.inf, 9.0, 2.0]) if name == "fw" else np.full(3, np.nan),
        notes={},
    )


def test_a_line_each_with_the_numbers_of_its_curve():
    plot = race_curves([curve("scd"), curve("detcd", 2.0)])
    lines = list(plot)
    assert [line.label for line in lines] == ["scd", "detcd"]
    np.testing.assert_array_equal(lines[1].dimension_values("objective"), [6.0, 4.0, 2.0])
    np.testing.assert_array_equal(lines[0].dimension_values("entries"), [0.0, 10.0, 20.0])
    figure = hv.render(plot, backend="bokeh")
    assert figure.xaxis[0].axis_label == "matrix entries touched"
    assert type(figure.y_scale).__name__ == "LogScale"
    assert [item.label.value for item in figure.legend[0].items] == ["scd", "detcd"]


def test_other_axes_and_what_is_not_told():
    plot = race_curves([curve("scd")], cost="seconds", measure="density")
    assert type(hv.render(plot, backend="bokeh").y_scale).__name__ == "LinearScale"
    # scd takes no derivatives of single samples.
    assert len(next(iter(race_curves([curve("scd")], cost="grads")))) == 0


def test_the_suboptimality_is_relative_to_the_start():
    plot = race_curves([curve("sfw_rows")], cost="seconds", measure="suboptimality", least=0.5)
    np.testing.assert_allclose(next(iter(plot)).dimension_values("suboptimality"), [0.6, 0.2])
    assert type(hv.render(plot, backend="bokeh").x_scale).__name__ == "LogScale"


def test_what_is_proven_is_drawn_where_it_says_something():
    plot = race_curves([curve("fw"), curve("cd")], measure="suboptimality", least=0.5, cost="steps")
    assert [line.label for line in plot] == ["fw", "cd", "fw, proven"]
    np.testing.assert_allclose(plot.get(2).dimension_values("suboptimality"), [0.8])
    hv.render(plot, backend="bokeh")


@pytest.mark.parametrize(
    "asked", [{"curves": []}, {"cost": "dots"}, {"measure": "dots"}, {"measure": "suboptimality"}]
)
def test_bad_axes_are_refused(asked):
    name = "least" if "suboptimality" in asked.values() else next(iter(asked))
    with pytest.raises(ValueError, match=f"'{name}' parameter"):
        race_curves(**({"curves": [curve("scd")]} | asked))


def test_a_result_draws_itself_in_every_way():
    problem = datasets.load("diabetes")
    grid = [1.0, 2.0, 3.0]
    sampled = walk_path(problem, "sfw", grid, sampling="10%", tol=1e-2)
    judged = walk_path(problem, "fw", grid, tol=1e-2, oracle="successive-halving")
    both = {"sfw": sampled, "halving": judged}
    for kind in ("path", "error", "active", "gap", "race"):
        assert hv.render(sampled.plot(kind), backend="bokeh") is not None
    shares = next(iter(judged.plot("oracle"))).dimension_values("share")
    hits = judged.trace["hit"][np.isfinite(judged.trace["hit"])]
    assert shares[-1] == pytest.approx(hits.mean())
    cloud = next(iter(sampled.plot("residuals", problem=problem)))
    np.testing.assert_allclose(
        cloud.dimension_values("prediction") + cloud.dimension_values("residual"), problem.y
    )
    table = plot(both, "overlap").dframe().set_index(["run", "other run"])["overlap"]
    assert table["sfw", "sfw"] == 1.0
    assert 0 < table["sfw", "halving"] == table["halving", "sfw"] < 1
    for kind, given in (("nothing", {}), ("oracle", {}), ("residuals", {}), ("gap", both)):
        with pytest.raises((ParameterError, TypeError)):
            sampled.plot(kind, **given)


def test_comparisons_races_and_problems_draw_themselves():
    problem = datasets.load("diabetes")
    rows = compare.compare(problem, parse_specs("cd,sfw:10%"), repeats=2, points=4)
    assert list(rows.results) == ["cd", "sfw:10%"]
    for kind in ("race", "gap", "overlap", "path"):
        hv.render(rows.plot(kind), backend="bokeh")
    hv.render(rows.plot("residuals", problem=problem), backend="bokeh")
    shown = rows._repr_html_()
    assert shown.count("<svg") == 2
    assert "certified" in shown
    assert rows.to_dataframe().loc["cd", "speedup"] == 1.0
    lam = problem.lam_max / 10
    curves = race.race(problem, parse_specs("scd,cd"), lam, entries=5 * problem.entries)
    assert [line.label for line in curves.plot("gap")] == ["scd", "cd"]
    hv.render(curves.plot(cost="steps"), backend="bokeh")
    frame = curves.to_dataframe()
    np.testing.assert_array_equal(frame.loc["scd"]["objective"], curves[0].objective)
    assert curves[0]._repr_html_().count("<svg") == 1
    heights = problem.plot().dimension_values("rows")
    assert heights.sum() == problem.m
    slopes = problem.plot("correlations").dimension_values("slope")
    assert slopes[0] == pytest.approx(problem.lam_max)
    frame = problem.to_dataframe()
    assert frame.shape == (problem.m, problem.p + 1)
    np.testing.assert_allclose(frame.drop(columns="response").T @ problem.y, problem.sigma)
    for asked in ({"kind": "rase"}, {"kind": "gap", "cast": 1}):
        with pytest.raises(ParameterError, match=r"'(kind|cast)'"):
            curves.plot(**asked)


def test_frames_become_xarray_datasets():
    pytest.importorskip("xarray")
    problem = datasets.load("diabetes")
    rows = compare.compare(problem, parse_specs("cd,fw"), repeats=1, points=3)
    assert dict(rows.results.to_xarray().sizes) == {"run": 2, "place": 3}
    assert dict(rows.to_xarray().sizes) == {"solver": 2}
    assert problem.to_xarray()["design"].shape == (problem.m, problem.p)
