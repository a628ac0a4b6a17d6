"""What runs are measured against: the run that is certified best, and the true support."""

from dataclasses import replace

import numpy as np
import pytest
from fakes import shown, walked
from told import PICTURES

from app import recorded
from app.live import model
from app.live.picture import Shown, Sight
from app.live.reference import reference_of, suboptimality
from fwcore import datasets


def test_the_suboptimality_is_measured_from_the_run_that_is_certified_best():
    exact, rough = walked("corrective_fw", points=8, tol=1e-9), walked("fw", points=8, tol=1e-2)
    assert reference_of(shown(rough)) is None
    assert reference_of(shown(rough, exact)) is exact
    # One of other rows is no reference.
    assert reference_of([replace(entry, kin=False) for entry in shown(rough, exact)]) is None
    f0 = exact.walk.problem.f0
    left = suboptimality(rough.points, f0, exact)
    known = np.isfinite(left)
    assert known.any()
    # At the same l1 norm the best is no farther than the true gap, but for chords of the reference.
    assert (left[known] <= rough.relative_gaps[known] + 1e-2).all()
    expected = (rough.points["objective"] - exact.points["objective"]) / f0
    filled = np.isclose(rough.points["l1"], exact.points["l1"], rtol=1e-12) & known
    np.testing.assert_allclose(left[filled], expected[filled], atol=1e-9)
    assert np.isnan(suboptimality(rough.points, f0, None)).all()


def test_what_is_proven_stands_above_the_suboptimality_in_the_race():
    race = PICTURES["race"]
    assert race.computes(Sight("dots", "least_error")) == {}
    (compute,) = race.computes(Sight("dots", "suboptimality")).values()
    exact, fw = walked("certified_ball", points=12, tol=1e-10), walked("fw", points=12)
    f0 = fw.walk.problem.f0
    left = suboptimality(fw.points, f0, exact)
    (entry, other) = shown(fw, exact)
    columns = compute(entry, entry, -1)
    assert columns["dots"] == fw.points["dots"].tolist()
    known = np.isfinite(left)
    assert known.any()
    assert (np.array(columns["suboptimality"])[known] >= left[known]).all()
    steps = np.diff(fw.points["steps"], prepend=0)
    last = fw.solver.bound(fw.walk.problem, fw.walk.options, float(fw.walk.grid[-1]), steps[-1])
    assert columns["suboptimality"][-1] == last[-1] / f0
    # The cursor changes nothing, and of a library nothing is proven.
    assert compute(entry, entry, 3) is columns
    assert not np.isfinite(compute(other, entry, -1)["suboptimality"]).any()


def test_supports_are_compared_with_the_true_one_where_it_is_known():
    first = [Shown(k, run.solver.name, run, lead=k == 0) for k, run in enumerate(recorded.runs())]
    columns = model._overlap(first[2], first[0], -1)
    truth = set(np.flatnonzero(datasets.read("synthetic-10000-32").coef).tolist())
    found = set(first[2].run.walk.columns[50][0].tolist())
    expected = 2 * len(truth & found) / (len(truth) + len(found))
    assert columns["f_measure"][50] == pytest.approx(expected, abs=0.05)
    best = max(columns["f_measure"])
    assert best > 0.35
    told = model.Overlap().finding_at(first, Sight("l1", "f_measure"))
    assert told.startswith("Best F-measure with the true features: ")
    assert f"{first[2].name} {best:.2f}" in told
