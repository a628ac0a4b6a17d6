import numpy as np
import pytest

from fwcore import DatasetError, ParameterError, datasets
from fwcore.design import product_count


def test_counts_of_the_papers():
    assert product_count(27, 5) == 201_376
    assert product_count(60, 4) == 635_376


@pytest.mark.parametrize("name", ["diabetes", "synthetic-10000-32", "synthetic-10000-100"])
def test_what_is_always_there_loads_as_the_catalogue_says(name):
    entry, problem = datasets.find(name), datasets.load(name)
    held_out = round(entry.test_fraction * entry.rows)
    assert (problem.m, problem.p) == (entry.rows - held_out, entry.columns)
    assert problem.test_y.size == held_out
    assert len(problem.feature_names) == entry.columns
    assert problem.name == name
    assert entry.citation
    assert entry.licence


def test_synthetic_has_200_rows_to_train_and_200_to_test_on():
    problem = datasets.load("synthetic-10000-32")
    assert (problem.m, problem.test_y.size) == (200, 200)


def test_a_split_is_seeded_and_disjoint():
    first = datasets.load("diabetes", split_seed=1, test_fraction=0.3)
    again = datasets.load("diabetes", split_seed=1, test_fraction=0.3)
    other = datasets.load("diabetes", split_seed=2, test_fraction=0.3)
    assert first is again
    assert first.content_hash != other.content_hash
    everything = np.sort(np.concatenate([first.y * first.y_scale + first.y_offset, first.test_y]))
    whole = datasets.load("diabetes", test_fraction=0.0)
    assert whole.test_y is None
    np.testing.assert_allclose(everything, np.sort(whole.y * whole.y_scale + whole.y_offset), atol=1e-12)


def test_a_file_that_is_not_there_is_told_with_its_place(monkeypatch, tmp_path):
    monkeypatch.setenv("FWCORE_DATA", str(tmp_path))
    datasets.catalogue._load.cache_clear()
    assert not datasets.available(datasets.find("pyrim"))
    with pytest.raises(DatasetError, match=r"pyrim/pyrim_scale\.svm.*FWCORE_DATA"):
        datasets.load("pyrim")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "nothing"}, "'dataset'.*'nothing'"),
        ({"name": "diabetes", "test_fraction": 0.95}, r"'test_fraction'.*\[0, 0.9\]"),
        ({"name": "diabetes", "test_fraction": -0.1}, "'test_fraction'"),
        ({"name": "diabetes", "split_seed": -1}, "'split_seed'"),
        ({"name": "diabetes", "split_seed": 1.5}, "'split_seed'"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ParameterError, match=message):
        datasets.load(**arguments)
