"""The real files, where they are at hand: shapes, non-zeros and classes as their providers tell."""

import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

from fwcore import datasets, walk_path
from fwcore.datasets import ParseOptions, parse_file, reading

FOLDER = Path(os.environ.get("FWCORE_DATA", "absent"))
FILES = (
    sorted(str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/*") if path.is_file())
    if FOLDER.is_dir()
    else []
)

# rows, columns, non-zeros, and how many labels of the positive class where there are classes
TOLD = {
    "pyrim/pyrim.arff": ({}, 74, 27, None, None),
    "pyrim/pyrim_scale.svm": ({}, 74, 27, 1720, None),
    "triazines/triazines.arff": ({}, 186, 60, None, None),
    "triazines/triazines_scale.svm": ({}, 186, 60, 9982, None),
    "bodyfat/bodyfat_scale.txt": ({}, 252, 14, 3528, None),
    "abalone/abalone.arff": ({"categorical": "one-hot"}, 4177, 10, None, None),
    "space_ga/space_ga.arff": ({"target": "ln(VOTES/POP)"}, 3107, 6, None, None),
    "california_housing/cal_housing.data": ({}, 20640, 8, None, None),
    "magic/magic04.data": ({}, 19020, 10, None, 12332),
    "rcv1/rcv1_small.dat": ({"columns": 47236}, 1000, 47236, 77739, None),
    "text/classic.mat": ({"positive": "1"}, 7094, 41681, 223839, None),
    "text/hitech.mat": ({"positive": "1"}, 2301, 10080, 331373, None),
    "text/la2.mat": ({"positive": "1"}, 3075, 31472, 455383, None),
    "text/ohscal.mat": ({"positive": "1"}, 11162, 11465, 674365, None),
}

pytestmark = pytest.mark.skipif(not FILES, reason="FWCORE_DATA names no folder of real data")


def needs(*names):
    absent = [name for name in names if not (FOLDER / name).is_file()]
    return pytest.mark.skipif(bool(absent), reason=f"FWCORE_DATA does not hold {', '.join(absent)}")


@pytest.mark.parametrize("name", TOLD)
def test_a_file_is_what_its_provider_tells(name):
    if not (FOLDER / name).is_file():
        pytest.skip(f"FWCORE_DATA does not hold {name}")
    options, rows, columns, nonzeros, positive = TOLD[name]
    parsed = parse_file(FOLDER / name, ParseOptions(**options))
    assert parsed.X.shape == (rows, columns)
    assert parsed.y.shape == (rows,)
    assert nonzeros in (None, parsed.report.nonzeros)
    assert positive in (None, (parsed.y > 0).sum())
    assert parsed.report.task == (
        "classification" if name.partition("/")[0] in ("magic", "rcv1", "text") else "regression"
    )


def test_no_file_is_left_out():
    parts_of_others = {name for name in FILES if name.partition("/")[0] in ("arcene", "dorothea")}
    assert {name for name in FILES if not name.endswith(".md")} - set(
        TOLD
    ) - parts_of_others <= set()


@needs("pyrim/pyrim.arff", "pyrim/pyrim_scale.svm")
def test_pyrim_scaled_is_pyrim_scaled():
    raw = parse_file(FOLDER / "pyrim/pyrim.arff")
    scaled = parse_file(FOLDER / "pyrim/pyrim_scale.svm")
    low, high = raw.X.min(axis=0), raw.X.max(axis=0)
    varies = high > low
    assert np.flatnonzero(~varies).tolist() == [24]
    ours = np.zeros(raw.X.shape)
    ours[:, varies] = 2.0 * (raw.X[:, varies] - low[varies]) / (high - low)[varies] - 1.0
    np.testing.assert_allclose(ours, scaled.X.toarray(), atol=1e-12)
    np.testing.assert_allclose(raw.y, scaled.y, atol=1e-12)


@needs("dorothea/dorothea.mat")
def test_dorothea_has_its_entries_and_classes():
    made = datasets.read("dorothea")
    assert (made.X.nnz, made.test[0].nnz) == (727_760, 317_752)
    assert (made.X.shape, made.test[0].shape) == ((800, 100_000), (350, 100_000))
    assert ((made.y > 0).sum(), (made.test[1] > 0).sum()) == (78, 34)


@needs("arcene/arcene_train.data")
def test_arcene_has_its_classes():
    made = datasets.read("arcene")
    assert (made.X.shape, made.test[0].shape) == ((100, 10_000), (100, 10_000))
    assert ((made.y > 0).sum(), (made.test[1] > 0).sum()) == (44, 44)
    assert np.count_nonzero(made.X) == 540_941


@needs("triazines/triazines_scale.svm")
def test_products_of_the_papers():
    triazines, pyrim = datasets.load("triazines"), datasets.load("pyrim")
    assert (triazines.p, pyrim.p) == (557_600, 169_908)
    assert triazines.feature_names[-1] == "x60^4"


@pytest.mark.parametrize(
    "name", [entry.name for entry in datasets.DATASETS if entry.layout is not None]
)
def test_what_is_at_hand_loads(name, monkeypatch, tmp_path):
    entry = datasets.find(name)
    if not datasets.available(entry):
        pytest.skip(f"the files of {name} are not at hand")
    monkeypatch.setenv("FWCORE_CACHE", str(tmp_path))
    reading._load.cache_clear()
    problem = datasets.load(entry)
    reading._load.cache_clear()
    opened = datasets.load(entry)
    assert opened is not problem
    assert opened.content_hash == problem.content_hash
    held_out = entry.test_rows or round(entry.test_fraction * entry.rows)
    assert (problem.m, 0 if problem.test_y is None else problem.test_y.size) == (
        entry.rows - held_out,
        held_out,
    )
    assert (
        scipy.sparse.issparse(datasets.read(entry).X) == (type(problem.design).__name__ == "Csc")
        or entry.degree is not None
    )
    reading._load.cache_clear()


@pytest.mark.slow
@needs("pyrim/pyrim.arff")
def test_chance_ends_two_points_of_three_as_algorithm_2_is_printed():
    """Frandi et al. (2016) on Pyrim with kappa = 2,014: about 270 steps and 68 of 100 points."""
    problem = datasets.load("pyrim", test_fraction=0.0)
    ended, steps, active = [], [], []
    for seed in range(3):
        stopped = walk_path(problem, "sfw", sampling="2014", empty="stop", seed=seed)
        ended.append(stopped.ended_by_chance)
        steps.append(stopped.points["steps"][-1])
        active.append(walk_path(problem, "sfw", sampling="2014", seed=seed).points["nnz"].mean())
    assert np.mean(ended) == pytest.approx(68, abs=5)
    assert np.mean(steps) == pytest.approx(269, rel=0.15)
    # The number of active features does depend on the sampling.
    assert np.mean(active) > 1.5 * walk_path(problem, "fw").points["nnz"].mean()
