"""The figures of Frandi et al. (2016) on Pyrim with products to degree 5, with their stopping rule and scaling."""

import numpy as np
import pytest
from real_data import needs_pyrim

from fwcore import datasets, grids, walk_path


@pytest.fixture(scope="module")
def pyrim():
    return datasets.load("pyrim")


@needs_pyrim
def test_shape_and_end_of_the_grid(pyrim):
    # Of the 201,376 products, those that vary.
    assert (pyrim.m, pyrim.p) == (74, 169_908)
    assert (pyrim.sqnorms == 1.0).all()
    assert grids.delta_max(pyrim) == pytest.approx(0.33188, abs=5e-6)


@needs_pyrim
def test_stochastic_frank_wolfe_at_one_percent_costs_what_the_paper_says(pyrim):
    results = [walk_path(pyrim, "sfw", seed=seed, sampling="2014") for seed in range(10)]
    assert np.mean([r.trace["step"][-1] for r in results]) == pytest.approx(277, rel=0.15)
    assert np.mean([r.trace["dots"][-1] for r in results]) == pytest.approx(7.61e5, rel=0.15)
    assert np.mean([r.points["nnz"].mean() for r in results]) == pytest.approx(27.6, rel=0.30)
    assert {r.points.size for r in results} == {100}
