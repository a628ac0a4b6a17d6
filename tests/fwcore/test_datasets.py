"""The catalogue: that every entry is understood, loads as it says, and is remembered."""

import dataclasses
import threading

import numpy as np
import pytest
import scipy.sparse

from fwcore import DatasetError, ParameterError, datasets
from fwcore.datasets import Dataset, documentation, parse_upload, read_catalogue, reading, store
from fwcore.design import mapped, product_count

OFFLINE = [entry.name for entry in datasets.DATASETS if entry.layout is None]
SHAPED = {"tfidf-shaped", "log1p-shaped", "url-shaped", "kdd-shaped"}
LARGE = {*SHAPED, "synthetic-50000-158", "synthetic-50000-500"}


@pytest.fixture
def empty_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("FWCORE_CACHE", str(tmp_path / "cache"))
    reading._load.cache_clear()
    yield tmp_path
    reading._load.cache_clear()


def test_counts_of_the_papers():
    assert datasets.find("pyrim").columns == product_count(27, 5) == 201_376
    assert datasets.find("triazines").columns == product_count(60, 4) == 635_376


@pytest.mark.parametrize("name", sorted(set(OFFLINE) - LARGE))
def test_what_is_always_there_loads_as_the_catalogue_says(name):
    entry, problem = datasets.find(name), datasets.load(name)
    held_out = round(entry.test_fraction * entry.rows)
    assert problem.m == entry.rows - held_out
    assert (0 if problem.test_y is None else problem.test_y.size) == held_out
    # Columns that are constant on the training rows are dropped.
    assert 0.8 * entry.columns <= problem.p <= entry.columns
    assert problem.sqnorms.min() > 0
    assert len(problem.feature_names) == problem.p
    assert problem.name == name
    assert entry.citation
    assert entry.licence
    assert entry.origin in ("scikit-learn", "generated", entry.page)


def test_the_families_of_the_issue_are_there():
    names = {entry.name for entry in datasets.DATASETS}
    assert {
        "diabetes-3",
        "diabetes",
        "diabetes-5",
        "breast-cancer",
        "digits-3-8",
        "e2006-tfidf",
        "e2006-log1p",
        "news20",
    } <= names
    assert {
        "synthetic-10000-32",
        "synthetic-10000-100",
        "synthetic-50000-158",
        "synthetic-50000-500",
    } <= names
    assert {
        "unit-sphere",
        "correlated-gaussian",
        "magic04s",
        "magic04d",
        *SHAPED,
        "url-reputation",
        "kdd2010-algebra",
        "rcv1",
        "arcene",
    } <= names


def test_a_split_is_seeded_and_disjoint():
    first = datasets.load("diabetes", split_seed=1, test_fraction=0.3)
    again = datasets.load("diabetes", split_seed=1, test_fraction=0.3)
    other = datasets.load("diabetes", split_seed=2, test_fraction=0.3)
    assert first is again
    assert first.content_hash != other.content_hash
    made = dataclasses.replace(datasets.read("diabetes"), response="as given")
    split, whole = made.problem(split_seed=1, test_fraction=0.3), made.problem(test_fraction=0.0)
    everything = np.sort(np.concatenate([split.y * split.y_scale + split.y_offset, split.test_y]))
    assert whole.test_y is None
    np.testing.assert_allclose(everything, np.sort(made.y), atol=1e-9)


def test_a_response_in_deviations_has_unit_deviation_on_the_training_rows():
    problem = datasets.load("diabetes")
    # y is divided by sqrt(m) besides.
    assert problem.y.std() * np.sqrt(problem.m) == pytest.approx(1.0)
    assert problem.test_y.std() == pytest.approx(1.0, abs=0.2)


def of(X, y, **more):
    names = [f"x{j}" for j in range(X.shape[1])]
    report = datasets.Report("made", "made", *X.shape, X.size)
    return Dataset("made", "made", "regression", X, y, names, report, **more)


@pytest.mark.parametrize("storage", [np.asarray, scipy.sparse.csc_array])
def test_the_rows_that_are_split_off_are_a_dataset_again(storage):
    random = np.random.default_rng(0)
    X, y = (
        random.standard_normal((30, 4)) * (random.random((30, 4)) < 0.7),
        random.standard_normal(30),
    )
    train, test = of(storage(X), y).split(3, 0.25)
    assert (train.y.size, test.y.size) == (22, 8)
    dense = [
        part.X.toarray() if scipy.sparse.issparse(part.X) else part.X for part in (train, test)
    ]
    both = np.column_stack([np.vstack(dense), np.append(train.y, test.y)])
    assert sorted(both.tolist()) == sorted(np.column_stack([X, y]).tolist())
    again, none = train.split(0, 0.0)
    assert none is None
    assert again.y.tolist() == train.y.tolist()
    with pytest.raises(ParameterError, match="test_fraction"):
        train.split(0, 1.0)


@pytest.mark.parametrize("storage", [np.asarray, scipy.sparse.csc_array])
def test_official_test_rows_are_kept_apart_unless_another_share_is_asked_for(storage):
    random = np.random.default_rng(0)
    X, y = random.standard_normal((30, 4)), random.standard_normal(30)
    X[:, 2] = 0.0
    X[20:, 2] = 1.0
    X[X < -0.7] = 0.0
    made = of(
        storage(X[:20]),
        y[:20],
        test=(storage(X[20:]), y[20:]),
        test_fraction=1 / 3,
        response="as given",
    )
    official = made.problem()
    np.testing.assert_array_equal(official.test_y, y[20:])
    # Constant on the training rows, so dropped on both sides.
    assert official.p == official.test_design.shape[1] == 3
    assert [*official.feature_names] == ["x0", "x1", "x3"]
    np.testing.assert_array_equal(official.test_design.offset, official.design.offset)
    pooled = made.problem(test_fraction=0.5)
    assert (pooled.m, pooled.test_y.size, pooled.p) == (15, 15, 4)


def test_a_sparse_matrix_without_zeros_is_stored_dense():
    X = np.random.default_rng(0).standard_normal((20, 3))
    assert type(of(scipy.sparse.csc_array(X), X[:, 0]).problem().design).__name__ == "Dense"


def test_an_upload_becomes_a_problem():
    parsed = parse_upload("a.csv", b"a,b,c,y\n1,2,5,2\n3,5,5,1\n2,2,5,7\n9,1,5,4\n5,5,5,6\n")
    problem = Dataset.of(parsed, "mine", degree=2, test_fraction=0.2).problem()
    assert (problem.m, problem.test_y.size) == (4, 1)
    assert {"a", "b", "a^2", "a·b", "b^2", "a·c"} <= set(problem.feature_names)


@pytest.mark.parametrize("name", ["diabetes", "diabetes-5", "breast-cancer", "correlated-gaussian"])
def test_the_second_opening_reads_from_disk_what_the_first_made(name, empty_cache, monkeypatch):
    made = datasets.load(name)
    reading._load.cache_clear()
    monkeypatch.setattr(reading, "read", lambda entry: pytest.fail("it was made again"))
    opened = datasets.load(name)
    assert opened is not made
    assert opened.content_hash == made.content_hash
    for array in ("y", "sigma", "sqnorms", "test_y"):
        np.testing.assert_array_equal(getattr(opened, array), getattr(made, array))
    assert [*opened.feature_names[:50]] == [*made.feature_names[:50]]
    a, b = np.array([1, 5, 17]), np.array([0.1, -0.2, 0.05])
    assert opened.judge(a, b, "ball", 1.0) == made.judge(a, b, "ball", 1.0)


def test_passes_over_kept_data_hold_no_more_in_memory_than_is_asked_for(empty_cache):
    hashes = set()
    # It is made, then opened; and others ask for it.
    for memory in (mapped.LEAST, mapped.LEAST, None):
        reading._load.cache_clear()
        problem = datasets.load("breast-cancer", memory=memory)
        assert mapped.bounded(problem.design) == (memory is not None)
        hashes.add(problem.content_hash)
    assert len(hashes) == 1
    with pytest.raises(ParameterError, match=r"'memory' .* number of bytes"):
        datasets.load("breast-cancer", memory=1)


def test_a_sparse_problem_with_dropped_columns_survives_the_disk(empty_cache):
    parsed = parse_upload("a.svm", b"1 1:1 9:2\n2 1:3 4:1\n0 4:1 9:1\n")
    made = Dataset.of(parsed, "mine", test_fraction=0.0).problem()
    store.keep("key", made)
    opened = store.opened("key")
    assert [*opened.feature_names] == [*made.feature_names] == ["x1", "x4", "x9"]
    assert opened.content_hash == made.content_hash
    assert opened.test_design is None


def test_what_is_broken_on_disk_is_made_anew(empty_cache):
    first = datasets.load("breast-cancer")
    for name, content in (
        ("about.json", "{"),
        ("about.json", "[1]"),
        ("y.npy", ""),
        ("values.npy", ""),
        ("sigma.npy", None),
    ):
        for file in (empty_cache / "cache" / "problems").rglob(name):
            file.unlink() if content is None else file.write_text(content)
        reading._load.cache_clear()
        assert datasets.load("breast-cancer").content_hash == first.content_hash
        # What was broken has been replaced.
        (key,) = [folder.name for folder in (empty_cache / "cache" / "problems").iterdir()]
        assert store.opened(key) is not None


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("FWCORE_CACHE", str(tmp_path / "file"))
    reading._load.cache_clear()
    assert datasets.load("breast-cancer").p == 30
    reading._load.cache_clear()


CATALOGUE = """
[toy]
title = "Toy"
task = "regression"
rows = 6
features = 2
degree = 2
test_fraction = 0.0
citation = "nobody"
licence = "none"
[[toy.layouts]]
train = { path = "toy/toy.csv" }
"""


def test_a_new_dataset_is_a_table_in_the_catalogue(empty_cache, monkeypatch):
    (empty_cache / "catalogue.toml").write_text(CATALOGUE)
    (entry,) = read_catalogue(empty_cache / "catalogue.toml")
    assert not datasets.available(entry)
    with pytest.raises(DatasetError, match=r"toy/toy\.csv is not at hand.*FWCORE_DATA"):
        datasets.load(entry)
    (empty_cache / "toy").mkdir()
    (empty_cache / "toy" / "toy.csv").write_text(
        "a,b,y\n1,2,3\n2,1,4\n3,5,7\n4,4,1\n5,0,2\n6,2,2\n"
    )
    monkeypatch.setenv("FWCORE_DATA", str(empty_cache))
    assert datasets.available(entry)
    problem = datasets.load(entry)
    assert (problem.m, problem.p, problem.name) == (6, 5, "toy")
    assert ("here", "FWCORE_DATA") in documentation.facts(entry)
    # Other content, another problem.
    (empty_cache / "toy" / "toy.csv").write_text(
        "a,b,y\n1,2,3\n2,1,4\n3,5,7\n4,4,1\n5,0,2\n6,2,9\n"
    )
    assert datasets.load(entry).content_hash != problem.content_hash
    (empty_cache / "toy" / "toy.csv").write_text("a,b,y\n1,2,3\n2,1,4\n")
    with pytest.raises(DatasetError, match="2 x 2, where its entry says 6 x 2"):
        datasets.load(entry)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("rows = 6\n", ""), "rows"),
        (('"regression"', '"ranking"'), "task"),
        (("degree = 2", "degree = 0"), "degree"),
        (("degree = 2", 'colour = "red"'), "colour"),
        (('[[toy.layouts]]\ntrain = { path = "toy/toy.csv" }', ""), "exactly one of"),
        (("degree = 2", 'generator = { name = "magic" }'), "exactly one of"),
        (
            (
                'train = { path = "toy/toy.csv" }',
                'train = { path = "toy/toy.csv" }\nformat = "xls"',
            ),
            "format",
        ),
        (
            (
                'train = { path = "toy/toy.csv" }',
                'train = { path = "toy/toy.csv" }\nmissing = "guess"',
            ),
            "missing",
        ),
    ],
)
def test_a_table_that_is_not_understood_is_named(change, why, tmp_path):
    (tmp_path / "catalogue.toml").write_text(CATALOGUE.replace(*change))
    with pytest.raises(DatasetError, match=rf"(?s)'toy'.*{why}"):
        read_catalogue(tmp_path / "catalogue.toml")


def test_the_readme_of_the_data_is_that_of_the_catalogue():
    readme = datasets.catalogue.CATALOGUE.resolve().with_name("README.md")
    assert readme.read_text(encoding="utf-8") == documentation.markdown()


@pytest.mark.parametrize("degree", [0, -1, 1.5, "2", True])
def test_a_degree_is_an_int_of_at_least_one(degree):
    with pytest.raises(
        ParameterError, match="'degree' parameter of fwcore must be an int of at least 1"
    ):
        of(np.eye(4), np.arange(4.0), degree=degree).problem()


def test_products_of_too_many_features_are_refused_before_memory_is_asked_for():
    wide = scipy.sparse.csc_array(([1.0, 2.0], ([0, 1], [0, 1_999_999])), shape=(30, 2_000_000))
    report = datasets.Report("made", "made", 30, 2_000_000, 2)
    made = Dataset("made", "made", "regression", wide, np.arange(30.0), [], report, degree=2)
    with pytest.raises(ParameterError, match="'degree'"):
        made.problem()


def test_two_who_ask_at_once_get_the_same(empty_cache, monkeypatch):
    reads, read = [], reading.read
    monkeypatch.setattr(reading, "read", lambda entry: reads.append(entry) or read(entry))
    came = []
    threads = [
        threading.Thread(target=lambda: came.append(datasets.load("breast-cancer")))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(reads) == 1
    assert all(problem is came[0] for problem in came)


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
