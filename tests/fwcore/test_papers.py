"""The figures of Frandi et al. (2016), Tables 4 and 5, with their stopping rule and scaling."""

import numpy as np
import pytest
from real_data import needs

from fwcore import datasets, grids, walk_path


@pytest.fixture(scope="module")
def pyrim():
    return datasets.load("pyrim")


@needs("pyrim")
def test_shape_and_end_of_the_grid(pyrim):
    # Of the 201,376 products, those that vary.
    assert (pyrim.m, pyrim.p) == (74, 169_908)
    assert (pyrim.sqnorms == 1.0).all()
    assert grids.delta_max(pyrim) == pytest.approx(0.33188, abs=5e-6)


@needs("pyrim")
def test_stochastic_frank_wolfe_at_one_percent_costs_what_the_paper_says(pyrim):
    results = [walk_path(pyrim, "sfw", seed=seed, sampling="2014") for seed in range(10)]
    assert np.mean([r.trace["step"][-1] for r in results]) == pytest.approx(277, rel=0.15)
    assert np.mean([r.trace["dots"][-1] for r in results]) == pytest.approx(7.61e5, rel=0.15)
    assert np.mean([r.points["nnz"].mean() for r in results]) == pytest.approx(27.6, rel=0.30)
    assert {r.points.size for r in results} == {100}


@pytest.mark.slow
@needs("triazines")
def test_triazines_at_one_percent_costs_what_the_paper_says():
    triazines = datasets.load("triazines")
    results = [walk_path(triazines, "sfw", seed=seed, sampling="6354") for seed in range(3)]
    assert np.mean([r.trace["step"][-1] for r in results]) == pytest.approx(715, rel=0.15)
    assert np.mean([r.trace["dots"][-1] for r in results]) == pytest.approx(5.18e6, rel=0.15)
    assert np.mean([r.points["nnz"].mean() for r in results]) == pytest.approx(120.6, rel=0.30)


@pytest.mark.slow
@needs("pyrim")
def test_the_solvers_are_in_the_order_of_the_paper_by_their_active_features(pyrim):
    active = {
        name: walk_path(pyrim, name, **options).points["nnz"].mean()
        for name, options in {
            "sfw": {"sampling": "2014"},
            "cd": {},
            "scd": {},
            "fista": {},
            "apg": {},
        }.items()
    }
    assert active["sfw"] < active["cd"] < active["scd"] < active["fista"] < active["apg"]
    # Printed: 68, 117, 3,349 and 13,030.
    for name, printed in {"cd": 68, "scd": 117, "fista": 3349, "apg": 13_030}.items():
        assert 0.5 < active[name] / printed < 2.0
