"""Types of values and indices, and designs on disk."""

import mmap
import subprocess
import sys
import threading
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
import toys

from fwcore import ParameterError, Problem, design, walk_path
from fwcore.datasets.generators import zipf_sparse
from fwcore.design import Products, mapped


def matrices():
    X, y = toys.arrays("sparse")
    return {"dense": X, "csc": scipy.sparse.csc_array(X)}, y


@pytest.mark.parametrize(
    ("storage", "name"), toys.diagonal(toys.STORAGES, ("sfw", "corrective_fw", "cd"))
)
def test_float32_gives_the_same_path_to_its_accuracy(storage, name):
    stores, y = matrices()
    X = stores[storage]
    # Values that float32 holds exactly, so that only the arithmetic could differ.
    X = X.astype(np.float32).astype(np.float64)
    exact, single = Problem.from_arrays(X, y), Problem.from_arrays(X, y, dtype="float32")
    assert single.design.values.dtype == np.float32
    assert single.design.values.nbytes * 2 == exact.design.values.nbytes
    grid = [0.5, 1.0, 2.0] if name != "cd" else exact.lam_max * np.array([0.5, 0.1])
    options = (
        {"sampling": "30%"} if name == "sfw" else {"rule": "gap", "tol": 1e-8, "max_steps": 10**6}
    )
    one, two = walk_path(exact, name, grid, **options), walk_path(single, name, grid, **options)
    np.testing.assert_allclose(one.coefs.toarray(), two.coefs.toarray(), atol=1e-5)
    np.testing.assert_allclose(one.points["objective"], two.points["objective"], atol=1e-7)


def test_row_indices_are_as_short_as_the_rows_allow():
    tall = scipy.sparse.random_array(
        (65_536, 5), density=1e-3, rng=np.random.default_rng(0), format="csc"
    )
    y = np.random.default_rng(1).standard_normal(65_536)
    long, short = Problem.from_arrays(tall, y), Problem.from_arrays(tall[:65_535], y[:65_535])
    assert (long.design.rows.dtype, short.design.rows.dtype) == (np.int32, np.uint16)
    assert short.design.indptr.dtype == np.int32
    for problem, X, t in ((long, tall, y), (short, tall[:65_535], y[:65_535])):
        Z, r = toys.standardized(X.toarray(), t)
        np.testing.assert_allclose(problem.sigma, Z.T @ r, atol=1e-12)


@pytest.mark.parametrize("storage", ["dense", "csc"])
def test_a_folder_is_opened_without_reading_it(storage, tmp_path):
    stores, y = matrices()
    problem = Problem.from_arrays(stores[storage], y)
    design.save(problem.design, tmp_path / "X")
    opened = design.open_folder(tmp_path / "X")
    assert isinstance(opened.values.base, np.memmap)
    again = Problem.from_arrays(opened, y)
    for ours, theirs in zip(again.design.stored, problem.design.stored, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    one, two = (walk_path(p, "corrective_fw", [0.5, 1.0]) for p in (problem, again))
    np.testing.assert_allclose(one.coefs.toarray(), two.coefs.toarray(), atol=1e-12)


def resident(path):
    """Bytes of a mapped file that this process holds in memory."""
    found, ours = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if line.split()[0].endswith(":"):
            found += int(line.split()[1]) << 10 if ours and line.startswith("Rss:") else 0
        else:
            ours = line.endswith(str(path))
    return found


@contextmanager
def watched():
    """The bytes of files that this process holds in memory beyond those at first, looked at again
    and again meanwhile.
    """
    seen, done = [0], threading.Event()

    def held():
        return int(Path("/proc/self/statm").read_text().split()[2]) * mmap.PAGESIZE

    def look(before):
        while not done.is_set():
            seen.append(held() - before)

    thread = threading.Thread(target=look, args=(held(),))
    thread.start()
    try:
        yield seen
    finally:
        done.set()
        thread.join()


def large(storage):
    """A design of more than 32 MB, and a response."""
    random = np.random.default_rng(0)
    if storage in ("float64", "float32"):
        return random.standard_normal((250, 40_000)), random.standard_normal(250), storage
    made = zipf_sparse(70_000, 5_000, 9_000_000, relevant=9, values="ones")
    return made.X, made.y, "pattern" if storage == "pattern" else "float64"


@pytest.mark.skipif(not Path("/proc/self/smaps").is_file(), reason="needs Linux")
@pytest.mark.parametrize("storage", ["float64", "float32", "csc", "pattern"])
def test_passes_hold_no_more_in_memory_than_asked_for(storage, tmp_path):
    X, y, dtype = large(storage)
    usual = Problem.from_arrays(X, y, dtype=dtype, standardize=False)
    design.save(usual.design, tmp_path)
    memory = mapped.LEAST
    opened = design.open_folder(tmp_path, memory=memory)
    bounded = Problem.from_arrays(opened, y, standardize=False)
    files = [tmp_path / f"{name}.npy" for name in ("values", "rows")]
    assert sum(file.stat().st_size for file in files if file.is_file()) > 2 * memory
    assert bounded.content_hash == usual.content_hash
    np.testing.assert_array_equal(bounded.sigma, usual.sigma)
    lam = usual.lam_max * np.array([0.95, 0.9, 0.85])
    paths = [walk_path(usual, "certified", lam)]
    # Compiled before, where it has not been.
    walk_path(bounded, "certified", lam[:1])
    with watched() as seen:
        for threads in (1, 2):
            paths.append(walk_path(bounded, "certified", lam, threads=threads))
    assert len({path.digest() for path in paths}) == 1
    # The few columns of the working set come on top.
    assert max(seen) < 2 * memory
    most, out = 0, np.empty(usual.p)
    for edges in mapped.turns(bounded.design, 2):
        for a, b in pairwise(edges):
            for array in bounded.design.read(a, b):
                out[0] = array.sum()
        most = max(most, sum(map(resident, files)))
    assert 0.2 * memory < most < 1.3 * memory
    for full in (False, True):
        if full:
            bounded.gradient(y)
        else:
            bounded.judge(np.array([3]), np.array([0.1]), "ball", 1.0)
        assert sum(map(resident, files)) < 0.3 * memory


@pytest.mark.parametrize("memory", [0, True, 1.5, "2 GB"])
def test_a_bound_of_memory_is_a_number_of_bytes(memory, tmp_path):
    with pytest.raises(ParameterError, match=r"'memory'.*16777216"):
        design.open_folder(tmp_path, memory=memory)


def test_a_folder_of_ones_own_needs_only_the_values(tmp_path):
    stores, y = matrices()
    np.save(tmp_path / "values.npy", np.ascontiguousarray(stores["dense"].T))
    problem = Problem.from_arrays(design.open_folder(tmp_path), y)
    np.testing.assert_allclose(
        problem.sigma, Problem.from_arrays(stores["dense"], y).sigma, rtol=1e-12
    )


def test_a_folder_without_a_design_is_refused(tmp_path):
    with pytest.raises(ParameterError, match=r"'folder'.*values\.npy"):
        design.open_folder(tmp_path)
    np.save(tmp_path / "values.npy", np.zeros((4, 3)))
    np.save(tmp_path / "scale.npy", np.zeros(5))
    with pytest.raises(ParameterError, match="fit together"):
        design.open_folder(tmp_path)


@pytest.mark.parametrize("dtype", ["float64", "pattern"])
def test_a_folder_of_compressed_columns_is_checked(dtype, tmp_path):
    X = scipy.sparse.csc_array(np.array([[1.0, 0, 1], [0, 1, 1], [1, 0, 0], [0, 0, 1]]))
    made = design.from_matrix(X, dtype)
    design.save(made, tmp_path)
    np.testing.assert_array_equal(design.open_folder(tmp_path).matrix(), X.toarray())
    for name, wrong in (
        ("rows", [0, 4_000_000, 1, 0, 1, 3]),
        ("rows", [0, 2, -1, 0, 1, 3]),
        ("rows", [2, 0, 1, 0, 1, 3]),
        ("rows", [0, 2, 1, 0, 0, 3]),
        ("rows", [0.0, 2.0, 1.0, 0.0, 1.0, 3.0]),
        ("indptr", [0, 7, 3, 6]),
        ("indptr", [1, 2, 3, 6]),
        ("indptr", [0.0, 2.0, 3.0, 6.0]),
        ("indptr", []),
        ("indptr", [[0, 2, 3, 6]]),
        ("indptr", [0, 2, 3, 7]),
    ):
        np.save(tmp_path / f"{name}.npy", np.array(wrong))
        with pytest.raises(ParameterError, match=r"'folder'.*(increasing rows|fit together)"):
            design.open_folder(tmp_path)
        np.save(tmp_path / f"{name}.npy", getattr(made, name))


def test_a_forked_process_has_threads_of_its_own():
    ran = """
import multiprocessing
from fwcore.design.passes import shared
def work(): return shared([lambda: 1, lambda: 2])
assert work() == [1, 2]
with multiprocessing.get_context("fork").Pool(1) as pool:
    assert pool.apply_async(work).get(60) == [1, 2]
"""
    subprocess.run([sys.executable, "-c", ran], check=True, timeout=120)


def test_a_folder_of_products_is_checked(tmp_path):
    made = design.standardized(Products.of(np.random.default_rng(0).standard_normal((5, 3)), 2))
    design.save(made, tmp_path)
    opened = design.open_folder(tmp_path)
    np.testing.assert_array_equal(opened.matrix(), made.matrix())
    assert design.layout(opened) == design.layout(made)
    factors, other_first, other_padding = made.factors, made.base.copy(), made.base.copy()
    other_first[0, 2], other_padding[1, -1] = 2.0, np.nan
    for name, wrong in (
        ("factors", np.full_like(factors, 9)),
        ("factors", factors[:, ::-1]),
        ("factors", factors[:, :0]),
        ("factors", factors.astype(np.int8)),
        ("base", made.base[:, :9]),
        ("base", np.zeros((300, 16))),
        ("base", made.base.astype(np.float32)),
        ("base", other_first),
        ("base", other_padding),
        ("m", np.array(17)),
        ("m", np.array([5])),
    ):
        np.save(tmp_path / f"{name}.npy", wrong)
        with pytest.raises(ParameterError, match="fit together"):
            design.open_folder(tmp_path)
        np.save(tmp_path / f"{name}.npy", getattr(made, name))
