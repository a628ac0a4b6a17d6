"""Sparse designs whose values follow from their rows or columns: `Csc` in every answer, in a
fraction of the memory.
"""

from functools import partial

import numpy as np
import pytest
import scipy.sparse
import toys
from numba import njit

from fwcore import ParameterError, Problem, Walk, design, walk_path
from fwcore.datasets.generators import zipf_sparse
from fwcore.design import (
    Csc,
    Pattern,
    coarse,
    col_axpy,
    col_reach,
    col_row,
    col_value,
    folded,
    gradient_above,
    most_steep,
    scale_image,
    support_dots,
)

# From 65,536 rows on, entries ask for what later ones meet.
SIZES = {"short": (60, 90, 700), "tall": (70_000, 40, 90_000)}
KINDS = ("ones", "unit-rows")


def made(kind, size="short"):
    rows, columns, entries = SIZES[size]
    return zipf_sparse(rows, columns, entries, relevant=9, values=kind, labels=True)


def both(kind, size="short", **how):
    g = made(kind, size)
    X = scipy.sparse.csc_array(g.X, dtype=np.float64)
    return Problem.from_arrays(X, g.y, **how), Problem.from_arrays(X, g.y, dtype="pattern", **how)


@njit
def entries_of(design, j, n):
    return [(col_row(design, j, k), col_value(design, j, k)) for k in range(n)]


@njit
def reached(design, v):
    for j in range(design.scale.size):
        col_reach(design, j, v)


@njit
def stacked(design, columns, coef, v):
    grown = 0.0
    for k in range(columns.size):
        grown += col_axpy(design, columns[k], coef[k], v)
    return grown


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", [True, False, "centre"])
def test_primitives_are_those_of_compressed_columns(kind, size, how):
    plain, pattern = both(kind, size, standardize=how)
    assert (type(plain.design), type(pattern.design)) == (Csc, Pattern)
    np.testing.assert_allclose(pattern.design.scale, plain.design.scale, rtol=1e-13)
    np.testing.assert_allclose(pattern.sigma, plain.sigma, atol=1e-12)
    np.testing.assert_allclose(pattern.sqnorms, plain.sqnorms, rtol=1e-12)
    random = np.random.default_rng(0)
    columns, coef = random.permutation(plain.p)[:9], random.standard_normal(9)
    images = [p.fitted(columns, coef) for p in (plain, pattern)]
    np.testing.assert_allclose(*images, atol=1e-12)
    slopes = [p.gradient(p.residual(columns, coef)) for p in (plain, pattern)]
    np.testing.assert_allclose(*slopes, atol=1e-12)
    some = np.empty(columns.size), np.empty(columns.size)
    r = plain.residual(columns, coef)
    for p, out in zip((plain, pattern), some, strict=True):
        design.some_dots(p.design, columns, r, float(r.sum()), out)
    np.testing.assert_allclose(*some, atol=1e-12)
    n = int(np.diff(plain.design.indptr)[3])
    assert entries_of(pattern.design, 3, n) == entries_of(plain.design, 3, n)
    reached(pattern.design, r)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_folded_image_has_the_dots_of_the_image(kind, size):
    pattern = both(kind, size, standardize=True)[1].design
    random = np.random.default_rng(0)
    columns, coef = random.permutation(pattern.offset.size)[:9], random.standard_normal(9)
    image, folded = np.empty(pattern.row_values.size), np.zeros(pattern.row_values.size)
    design.combine(pattern, columns, coef, image)
    image_sum, own = float(image.sum()), pattern.folded(np.zeros(pattern.offset.size))
    assert stacked(own, columns, coef, folded) == pytest.approx(image_sum, abs=1e-10)
    own.fold(image)
    np.testing.assert_allclose(folded, image, atol=1e-13)
    every = np.arange(pattern.offset.size)
    order = random.permutation(every)
    dots = [np.empty(every.size) for _ in range(3)]
    design.some_dots(own, every, folded, image_sum, dots[0])
    design.some_dots(own.permuted(order), every, folded, image_sum, dots[1])
    design.combine(pattern, columns, coef, image)
    design.some_dots(pattern, every, image, image_sum, dots[2])
    np.testing.assert_allclose(dots[0], dots[2], atol=1e-12)
    # Compiled for arrays that may be written to, sums may be rounded in another order.
    np.testing.assert_allclose(dots[1], dots[0][order], atol=1e-13)


@njit
def most_steep_of(design, scale, image_sum, p):
    out = np.empty(p)
    for j in range(p):
        out[j] = most_steep(design, j, scale, image_sum)
    return out


@njit
def gradients_above(design, scale, image, image_sum, sigma, least, out):
    touched = 0
    for j in range(sigma.size):
        out[j], read = gradient_above(design, j, scale, image, image_sum, sigma, least)
        touched += read
    return touched


@njit
def scaled(design, image, factor):
    scale_image(design, image, factor)


@pytest.mark.parametrize("how", [True, False, "centre"])
@pytest.mark.parametrize("size", SIZES)
def test_no_column_is_steeper_than_is_known_without_its_entries(size, how):
    problem = both("unit-rows", size, standardize=how)[1]
    random, own = np.random.default_rng(0), problem.design.folded(problem.sigma)
    columns, coef = random.permutation(problem.p)[:9], random.standard_normal(9)
    image, every = np.empty(problem.m), np.arange(problem.p)
    design.combine(problem.design, columns, coef, image)
    image_sum = float(image.sum())
    own.fold(image)
    for step in range(9):
        # The image grows by a column, and starts again from another scale.
        image_sum += stacked(own, columns[step:], coef[step:], image)
        factor = [1.0, 1e-100, 1e100][step % 3]
        scaled(own, image, factor)
        image_sum *= factor
        dots, scale = np.empty(problem.p), 0.7 / factor
        design.some_dots(own, every, image, image_sum, dots)
        bounds = most_steep_of(own, scale, image_sum, problem.p)
        gradient = scale * dots - problem.sigma
        assert (bounds >= np.abs(gradient)).all()
        assert np.isfinite(bounds).all()
        above = np.empty(problem.p)
        for least in (0.0, *np.quantile(np.abs(gradient), [0.5, 0.9, 1.0])):
            read = gradients_above(own, scale, image, image_sum, problem.sigma, least, above)
            told = (np.abs(gradient) >= least) | (above != 0.0)
            np.testing.assert_allclose(above[told], gradient[told], rtol=1e-12, atol=1e-12)
            if size == "tall" and least == np.abs(gradient).max():
                # Levels take a look at what the entries of others are left out for.
                assert (above != 0.0).sum() <= 9
                assert read < 1.5 * problem.entries
        scaled(own, image, 1.0 / factor)
        image_sum /= factor
    assert most_steep_of(problem.design, 1.0, 0.0, problem.p).min() == np.inf


def test_levels_of_an_image_hold_its_sums():
    random = np.random.default_rng(2)
    v, levels = random.standard_normal(500), np.empty(500, np.uint8)
    span, grid = np.empty((2, 2))
    for _ in range(9):
        coarse.refill(v, span, levels, grid)
        assert (span == [v.min(), v.max()]).all()
        assert coarse.holds(grid, span)
        some = random.permutation(v.size)[:80]
        about, error = coarse.sum_of(int(levels[some].sum()), some.size, grid)
        assert abs(about - v[some].sum()) <= error <= 80 * np.ptp(v) / 256
        v *= random.standard_normal()
    v[:] = 3.0
    coarse.refill(v, span, levels, grid)
    assert coarse.sum_of(int(levels.sum()), v.size, grid) == (1500.0, 0.0)
    assert not coarse.holds(grid, np.array([2.0, 3.0]))


@njit
def dots_of_support(design, support, coef, image, image_sum, out):
    return support_dots(design, support, coef, image, image_sum, out)


@pytest.mark.parametrize("how", [True, False, "centre"])
@pytest.mark.parametrize("size", SIZES)
def test_products_with_a_support_follow_from_its_overlaps(size, how):
    problem = both("unit-rows", size, standardize=how)[1]
    random, own = np.random.default_rng(1), problem.design.folded(problem.sigma)
    coef, image = np.zeros(problem.p), np.zeros(problem.m)
    order, image_sum, read = random.permutation(problem.p)[:20], 0.0, []
    for n in (1, 2, 2, 5, 5, 5, 20, 4):
        support = order[:n]
        added = random.standard_normal(n)
        coef[support] += added
        image_sum += stacked(own, support, added, image)
        dots, expected = np.empty(n), np.empty(n)
        inside = np.where(np.isin(np.arange(problem.p), support), coef, 0.0)
        now = image.copy()
        now_sum = image_sum + stacked(own, order[n:], -coef[order[n:]], now)
        read.append(dots_of_support(own, support, inside, now, now_sum, dots))
        design.some_dots(own, support, now, now_sum, expected)
        np.testing.assert_allclose(dots, expected, atol=1e-11)
    # Nothing is read where all are known, as the second time and at the end; where many are new
    # the image is, until that has been done as often as it takes to find what is new.
    assert [n > 0 for n in read] == [True, True, False, True, True, False, True, False]
    assert list(own.known.kept[: own.known.size[0]]) == list(order[:5])


def test_a_support_that_is_too_large_is_read():
    wide = zipf_sparse(40, 700, 3_000, relevant=9, values="ones", labels=True)
    problem = Problem.from_arrays(wide.X, wide.y, dtype="pattern")
    own, support = problem.design.folded(problem.sigma), np.arange(700)
    coef, image = np.random.default_rng(3).standard_normal(700), np.zeros(problem.m)
    image_sum = stacked(own, support, coef, image)
    dots, expected = np.empty(700), np.empty(700)
    design.some_dots(own, support, image, image_sum, expected)
    for _ in range(400):
        dots_of_support(own, support, coef, image, image_sum, dots)
    np.testing.assert_array_equal(dots, expected)


@pytest.mark.parametrize(
    ("solver", "options"),
    [
        ("fw", {}),
        ("sfw", {"sampling": "20%"}),
        ("sfw", {"sampling": "20%", "draw": "blocks"}),
        ("sfw", {"sampling": "20%", "draw": "with-replacement"}),
    ],
)
def test_levels_change_no_step(solver, options, monkeypatch):
    problem = both("ones", "tall")[1]
    graded = walk_path(problem, solver, [0.2, 0.6, 2.0, 4.0], seed=1, **options).trace
    monkeypatch.setattr(folded, "FAR", problem.m + 1)
    plain = walk_path(problem, solver, [0.2, 0.6, 2.0, 4.0], seed=1, **options).trace
    for column in ("dots", "objective", "gap", "moved"):
        np.testing.assert_array_equal(graded[column], plain[column])
    assert graded["entries"][-1] != plain["entries"][-1]


def test_a_draw_is_sifted_piece_by_piece():
    wide = zipf_sparse(90, 12_000, 60_000, relevant=9, values="ones", labels=True)
    plain, pattern = (
        walk_path(p, "sfw", [0.5, 1.0, 3.0], seed=2, sampling="80%").trace
        for p in (
            Problem.from_arrays(scipy.sparse.csc_array(wide.X, dtype=np.float64), wide.y),
            Problem.from_arrays(wide.X, wide.y, dtype="pattern"),
        )
    )
    np.testing.assert_array_equal(pattern["dots"], plain["dots"])
    np.testing.assert_allclose(pattern["objective"], plain["objective"], rtol=1e-12)


@pytest.mark.parametrize("draw", ["subset", "blocks"])
def test_columns_that_cannot_be_the_steepest_are_passed_over(draw):
    options = {"sampling": "50%", "draw": draw}
    plain, pattern = (
        walk_path(p, "sfw", [0.2, 0.6, 2.0], seed=5, **options).trace for p in both("ones")
    )
    np.testing.assert_array_equal(pattern["dots"], plain["dots"])
    assert pattern["entries"][-1] < 0.9 * plain["entries"][-1]


@pytest.mark.parametrize("draw", ["subset", "blocks"])
def test_what_is_known_of_the_image_is_held_with_the_walk(draw):
    problem = both("ones")[1]
    options = {"sampling": "30%", "draw": draw}
    whole, held, resumed = (
        Walk(problem, "sfw", [0.2, 0.6, 2.0, 4.0], options, seed=5) for _ in range(3)
    )
    for _ in whole.snapshots():
        pass
    for k, _ in enumerate(held.snapshots(3)):
        if k == 6:
            break
    state = held.hold()
    resumed.resume(state, held.points, held.columns, held.chunks)
    for _ in resumed.snapshots():
        pass
    assert resumed.result().digest() == whole.result().digest()


@pytest.mark.parametrize(
    ("solver", "options"),
    [
        ("sfw", {"sampling": "30%"}),
        ("sfw", {"sampling": "30%", "draw": "blocks", "block": 4}),
        ("fw", {"ridge": 0.5}),
        ("fw", {"oracle": "greedy-rows"}),
        ("away_fw", {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(map(str, value.values())),
)
def test_steps_are_those_on_compressed_columns(solver, options):
    walks = (walk_path(p, solver, [0.2, 0.6, 2.0], seed=5, **options) for p in both("unit-rows"))
    plain, pattern = walks
    np.testing.assert_array_equal(pattern.points["steps"], plain.points["steps"])
    np.testing.assert_allclose(pattern.coefs.toarray(), plain.coefs.toarray(), atol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_matrix_order_and_export_are_those_of_compressed_columns(kind):
    plain, pattern = both(kind)
    np.testing.assert_allclose(pattern.design.matrix(), plain.design.matrix(), atol=1e-13)
    order = np.random.default_rng(0).permutation(plain.p)
    shuffled = pattern.design.permuted(order)
    np.testing.assert_array_equal(shuffled.matrix(), pattern.design.matrix()[:, order])
    for ours, theirs in zip(pattern.design.exported(), plain.design.exported(), strict=True):
        difference = ours - theirs
        assert abs(difference).max() <= 1e-13
    assert type(pattern.rows) is type(plain.rows)
    names = plain.design.column_names(["a"]), pattern.design.column_names(["a"])
    assert names[0] == names[1]


@pytest.mark.parametrize("kind", KINDS)
def test_test_rows_may_have_any_values(kind):
    g = made(kind)
    test = (scipy.sparse.csc_array(np.arange(180.0).reshape(2, 90)), np.ones(2))
    plain, pattern = (
        Problem.from_arrays(g.X, g.y, test=test, dtype=d) for d in ("float64", "pattern")
    )
    at = np.array([2, 5]), np.array([0.5, -0.25])
    assert pattern.test_error(*at) == pytest.approx(plain.test_error(*at), rel=1e-12)
    own = Pattern.of(made(kind).X)
    same = Problem.from_arrays(Pattern.of(g.X), g.y, test=(own, g.y))
    assert same.test_error(*at) == pytest.approx(same.train_error(*at), rel=1e-6)


def test_values_take_no_memory_and_a_folder_opens_without_reading(tmp_path):
    plain, pattern = both("unit-rows", "tall")
    sizes = [sum(array.nbytes for array in p.design.stored) for p in (plain, pattern)]
    assert sizes[0] - sizes[1] == 8 * (plain.entries - plain.m - plain.p)
    design.save(pattern.design, tmp_path)
    opened = design.open_folder(tmp_path)
    assert isinstance(opened, Pattern)
    assert isinstance(opened.rows.base, np.memmap)
    again = Problem.from_arrays(opened, np.sign(pattern.y))
    np.testing.assert_allclose(again.sigma, pattern.sigma, atol=1e-12)
    (tmp_path / "column_values.npy").unlink()
    with pytest.raises(ParameterError, match=r"column_values\.npy"):
        design.open_folder(tmp_path)


@pytest.mark.parametrize("storage", [*toys.STORAGES, "pattern"])
def test_a_pass_has_the_same_bits_for_any_number_of_threads(storage):
    problem = both("unit-rows")[1] if storage == "pattern" else toys.problem("sparse", storage)
    v = np.random.default_rng(0).standard_normal(problem.m)
    out = np.empty((3, problem.p))
    for threads in (1, 2, 3):
        edges = problem.design.cuts(threads)
        assert (edges[0], edges[-1], len(edges)) == (0, problem.p, threads + 1)
        assert sorted(edges) == edges
        design.full_pass(problem.design, v, float(v.sum()), out[threads - 1], threads)
    np.testing.assert_array_equal(out[0], out[1])
    np.testing.assert_array_equal(out[0], out[2])


@pytest.mark.parametrize("how", [True, False, "centre"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("positive", [False, True])
def test_the_steepest_column_is_found_without_reading_most(size, how, positive):
    problem = both("unit-rows", size, standardize=how, positive=positive)[1]
    columns = np.array([20, 3, 31])
    residual = problem.residual(columns, np.array([0.5, -0.25, 0.125]))
    gradient = problem.gradient(residual)
    gradient[columns] = 0.0
    least = problem.steepest(gradient)
    for threads in (1, 2, 3):
        find = partial(
            problem.design.steepest_outside, residual, columns, positive=positive, threads=threads
        )
        assert find(least=0.0) == find(least=0.5 * least) == pytest.approx(least, rel=1e-12)
        assert find(least=2.0 * least) == 2.0 * least


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize(("form", "ridge"), [("ball", 0.0), ("penalty", 0.0), ("penalty", 0.1)])
def test_the_judge_says_the_same_as_of_compressed_columns(form, ridge, positive):
    plain, pattern = both("unit-rows", positive=positive)
    for indices in (np.zeros(0, np.int64), np.array([41, 3, 20])):
        point = indices, np.linspace(0.1, 0.3, indices.size), form, 0.5, ridge
        verdict = pattern.judge(*point)
        assert verdict == pytest.approx(plain.judge(*point), abs=1e-12, nan_ok=True)


def test_a_pass_is_cut_where_half_of_the_entries_are():
    plain, _ = both("ones", "tall")
    _, middle, _ = plain.design.cuts(2)
    share = plain.design.indptr[middle] / plain.entries
    assert 0.3 < share < 0.7
    assert middle < plain.p // 4


def test_values_that_follow_from_nothing_are_refused():
    X = scipy.sparse.csc_array(np.array([[1.0, 2.0], [3.0, 4.0]]))
    with pytest.raises(ParameterError, match="all values of a column are alike"):
        Problem.from_arrays(X, [1.0, 2.0], dtype="pattern")
    with pytest.raises(ParameterError, match=r"scipy sparse\. Got 'ndarray'"):
        Problem.from_arrays(np.eye(3), [1.0, 2.0, 3.0], dtype="pattern")
    in_columns = Pattern.of(scipy.sparse.csc_array(np.array([[2.0, 0.0], [2.0, 5.0], [0.0, 5.0]])))
    assert in_columns.column_values.tolist() == [2.0, 5.0]
    assert in_columns.row_values.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(("kind", "norms"), [("ones", None), ("unit-rows", 1.0)])
def test_made_values_are_what_they_are_called(kind, norms):
    g = made(kind)
    assert {*g.y} == {-1.0, 1.0}
    assert 0.2 < (g.y > 0).mean() < 0.8
    found = np.sqrt((g.X.astype(float) ** 2).sum(axis=1))
    if norms is None:
        assert {*g.X.data} == {1.0}
    else:
        np.testing.assert_allclose(found[found > 0], norms, rtol=1e-6)
    assert np.flatnonzero(g.coef).max() < 30
    few = zipf_sparse(60, 90, 700, relevant=9, values=kind, among=0.1)
    assert np.flatnonzero(few.coef).tolist() == [*range(9)]
