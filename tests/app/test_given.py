"""What a notebook gives: arrays, a data frame, a dataset, runs."""

import asyncio
import tracemalloc

import numpy as np
import pandas
import pytest
import scipy.sparse
from fakes import wait_for

from app.explorer import Explorer
from fwcore import ParameterError, Problem, walk_path

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((60, 8))
Y = 2.0 * X[:, 0] - X[:, 3] + 0.1 * RANDOM.standard_normal(60)
FRAME = pandas.DataFrame(X).assign(price=Y)
MADE = "made:correlated_gaussian:rows=50,columns=50,relevant=5,seed=0,rho=0.5,snr=3.0"
RUNS = [("sfw", {"sampling": "50%", "tol": 1e-4}), "cd"]


def walked(**given):
    page = Explorer(**given)
    page.hear({"do": "pace", "unit": "dots", "rate": None})
    page.hear({"do": "set", "name": "points", "value": "6"})
    page.run()
    wait_for(lambda: not page.session.live, "the runs")
    results = page.results
    page.close()
    return results


def test_arrays_are_walked_as_they_are():
    results = walked(X=X, y=Y, test=(X[:10], Y[:10]), runs=RUNS)
    problem = Problem.from_arrays(X, Y, test=(X[:10], Y[:10]))
    assert list(results) == ["sfw 50 % tol 0.0001", "cd"]
    found = results["cd"]
    again = walk_path(problem, "cd", found.grid)
    assert found.digest() == again.digest()


@pytest.mark.parametrize(
    "given",
    [
        {"X": scipy.sparse.csr_array(X), "y": Y, "runs": ["cd"]},
        {"X": X, "y": Y, "test_fraction": 0.0, "runs": ["cd"]},
        {"X": FRAME, "target": "price", "runs": ["cd"]},
        {"X": pandas.DataFrame(np.column_stack([X, Y])), "target": 8, "runs": ["cd"]},
        {"X": FRAME.assign(flag=Y > 0), "target": "price", "runs": ["cd"]},
        {"dataset": MADE, "runs": ["cd"]},
        {"X": X, "y": np.sign(Y), "loss": "logistic", "runs": ["scd"]},
        {"dataset": "diabetes", "runs": ["cd"]},
    ],
)
def test_what_can_be_given(given):
    (result,) = walked(**given).values()
    assert len(result.points) == 6
    if "target" in given:
        assert result.coefs.shape[0] == given["X"].shape[1] - 1


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"X": X, "y": Y[:5]}, "'y' parameter .* of length 60"),
        ({"X": X, "y": 3}, "'y' parameter .* of length 60"),
        ({"X": X, "y": "price"}, "'y' parameter .* numbers. Got 'price'"),
        ({"X": X[:, 0], "y": Y}, "'X' parameter .* two dimensions"),
        ({"X": X + 1j, "y": Y}, "'X' parameter .* real numbers"),
        ({"X": "pyrim"}, "dataset='pyrim'"),
        ({"X": X, "y": Y, "test": (X,)}, "'test' parameter .*X_test"),
        ({"X": X, "y": Y, "test": (X, Y[:3])}, "'test' parameter .* of length 60"),
        ({"X": X, "y": Y, "test_fraction": 2}, "'test_fraction' parameter"),
        ({"X": X, "y": Y, "feature_names": "abcdefgh"}, "'feature_names' parameter"),
        ({"datset": "pyrim"}, "'argument' parameter .* the nearest is 'dataset'"),
        ({"X": FRAME.assign(a="x"), "target": "price"}, "column 'a' holds others"),
        ({"X": FRAME.assign(a=np.nan), "target": "price"}, "column 'a' misses values"),
        ({"runs": "sfw"}, "'runs' parameter .* a list"),
        ({"runs": [3]}, "'runs' parameter"),
        ({"runs": [("sfw",)]}, "'runs' parameter"),
        ({"runs": [("sfw", ["x"])]}, "'runs' parameter"),
        ({"runs": [("sfw", {"sampling": 0.01})]}, "'sampling'"),
        ({"X": X}, "given with X, or else target"),
        ({"y": Y}, "left out without X"),
        ({"X": X, "y": np.full(60, np.nan)}, "'y' parameter"),
        ({"X": [["a"] * 3] * 60, "y": Y}, "'X' parameter"),
        ({"X": X, "y": Y, "dataset": "pyrim"}, "left out where X is given"),
        ({"dataset": "piyrim"}, "the nearest is 'pyrim'"),
        ({"runs": ["swf"]}, "the nearest is 'sfw'"),
        ({"runs": [("sfw", {"tool": 1})]}, "the nearest is 'tol'"),
        ({"runs": [("sfw", {"tol": -1})]}, "'Tolerance' parameter|'tol' parameter"),
        ({"X": FRAME, "target": "prise"}, "the nearest is 'price'"),
        ({"X": X, "target": "price"}, "no named columns"),
        ({"loss": "sqared"}, "the nearest is 'squared'"),
    ],
)
def test_what_does_not_fit_is_told_in_the_cell(given, told):
    with pytest.raises(ParameterError, match=told):
        Explorer(**given)


def test_runs_are_waited_for():
    page = Explorer(X=X, y=Y, runs=["cd"])
    page.hear({"do": "set", "name": "points", "value": "5"})

    async def all_of_it():
        page.run()
        return await page.finished()

    results = asyncio.run(all_of_it())
    assert len(results["cd"].points) == 5
    page.close()


def test_two_explorers_are_independent():
    first, second = Explorer(X=X, y=Y, runs=["cd"]), Explorer(dataset="diabetes")
    assert first.settings.dataset != second.settings.dataset
    with pytest.raises(ParameterError):
        second._commander.obey({"do": "set", "name": "dataset", "value": first.settings.dataset})
    first.close()
    second.close()


def test_compressed_columns_are_copied_at_most_once():
    p = 1_000_000
    matrix = scipy.sparse.random_array((100, p), density=0.1, rng=1, format="csc")
    y = np.arange(100.0)
    size = matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes
    for share, copies in ((0.25, 1.0), (0.0, 0.0)):
        tracemalloc.start()
        page = Explorer(X=matrix, y=y, test_fraction=share, runs=["sfw"])
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        # Besides, short row numbers, vectors of a number a column, and marks of the rows.
        assert peak < (copies + 0.5) * size + 10 * 8 * p
        page.close()


def test_settings_are_read_and_set_by_name():
    page = Explorer(dataset="diabetes", runs=["sfw"])
    page.settings.tol = 1e-4
    assert page.settings.tol == page.settings.runs[0].options.tol == 1e-4
    page.settings.points = 7
    with pytest.raises(ParameterError, match="the nearest is 'tol'"):
        page.settings.toll = 1e-5
    kept, page.settings.runs = page.settings.runs, []
    with pytest.raises(ParameterError, match="'settings'"):
        page.settings.tol = 1e-5
    page.settings.runs = kept
    with pytest.raises(ParameterError, match="the nearest is 'pyrim'"):
        page.settings.dataset = "piyrim"
    with pytest.raises(ParameterError, match="the nearest is 'gap'"):
        page.view("gapp")
    page.close()


def test_results_are_a_table_a_frame_and_pictures():
    results = walked(dataset="diabetes", runs=RUNS)
    assert results._repr_html_().count("<svg") == 2
    assert results.to_dataframe().index.names == ["run", "place"]
    assert len(results.to_dataframe()) == 12
    assert len(list(results.plot("active"))) == 2
