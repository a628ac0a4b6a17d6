import json
import threading

import numpy as np
import pyarrow.parquet
import pytest
import toys

from fwcore import ParameterError, Problem, Status, Walk, grids, path, walk_path
from fwcore.result_files import read_points
from fwcore.solve import CHECKPOINT
from fwcore.trace import TRACE, join_rows, new_rows

GRID = grids.delta_grid(1.0, 8)


def test_final_points_agree_with_coordinate_descent_at_the_same_l1_norm():
    problem = toys.problem("easy")
    penalty = walk_path(
        problem, "cd", problem.lam_max * np.geomspace(0.8, 0.05, 6), rule="gap", tol=1e-12
    )
    ball = walk_path(
        problem, "fw", np.asarray(penalty.points["l1"]), rule="gap", tol=1e-6, max_steps=10**7
    )
    for ours, theirs in zip(ball.points, penalty.points, strict=True):
        # Both objectives differ from the optimum of the ball by at most the judge's gap.
        assert -1e-12 <= ours["objective"] - theirs["objective"] <= ours["true_gap"] + 1e-12


def test_the_true_gap_is_looked_at_on_checkpoints_and_at_the_end_of_points():
    result = walk_path(
        toys.problem("correlated"), "fw", [3.0, 4.0], rule="gap", tol=1e-14, max_steps=2500
    )
    for point in range(2):
        rows = result.trace[result.trace["point"] == point]
        looked = np.flatnonzero(np.isfinite(rows["true_gap"])) + 1
        assert looked.tolist() == [CHECKPOINT, 2 * CHECKPOINT, 2500]


def test_counters_only_grow_and_points_repeat_the_trace():
    result = walk_path(toys.problem(), "sfw", GRID, sampling="20%")
    for column in ("step", "seconds", "dots", "entries", "empty"):
        assert (np.diff(result.trace[column]) >= 0).all(), column
    assert np.isnan(result.trace["grads"]).all()
    ends = np.searchsorted(result.trace["point"], np.arange(8), side="right") - 1
    np.testing.assert_array_equal(result.points["dots"], result.trace["dots"][ends])
    np.testing.assert_array_equal(result.points["true_gap"], result.trace["true_gap"][ends])
    np.testing.assert_allclose(
        result.points["objective"], result.trace["objective"][ends], rtol=1e-9
    )
    np.testing.assert_array_equal(result.points["nnz"], np.diff(result.coefs.indptr))
    assert result.trace["dots"][0] >= toys.problem().p


def test_parquet_holds_the_path_and_the_same_run_writes_the_same_bytes(tmp_path):
    def run(name, disturb):
        stop = threading.Event()
        other = threading.Thread(target=lambda: [None for _ in iter(stop.is_set, True)])
        if disturb:
            other.start()
        try:
            result = walk_path(toys.problem(), "sfw", GRID, seed=3)
        finally:
            stop.set()
        if disturb:
            other.join()
        result.points["seconds"] = 0.0
        result.to_parquet(tmp_path / name)
        return result

    result = run("one.parquet", disturb=False)
    run("two.parquet", disturb=True)
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()
    table = pyarrow.parquet.read_table(tmp_path / "one.parquet")
    facts = json.loads(table.schema.metadata[b"fwcore"])
    assert facts["settings"]["sampling"] == "1%"
    assert facts["seed"] == 3
    last = table.to_pylist()[-1]
    assert last["indices"] == result.coefs[:, [7]].tocoo().coords[0].tolist()
    assert last["coefficients"] == result.coefs[:, [7]].tocoo().data.tolist()
    assert last["status"] == "small_move"


def test_the_seconds_column_is_all_that_differs_between_files(tmp_path):
    tables = []
    X, y = toys.arrays()
    for name in ("one", "two"):
        walk_path(toys.problem(test=(X, y)), "sfw", GRID).to_parquet(tmp_path / name)
        tables.append(pyarrow.parquet.read_table(tmp_path / name).drop_columns("seconds"))
    assert tables[0].schema.equals(tables[1].schema, check_metadata=True)
    # What a method cannot tell is NaN, which equals itself here.
    for name in tables[0].column_names:
        np.testing.assert_array_equal(tables[0][name].to_pylist(), tables[1][name].to_pylist())


def test_the_trace_can_be_written(tmp_path):
    result = walk_path(toys.problem(), "sfw", GRID)
    result.trace_to_parquet(tmp_path / "trace.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "trace.parquet")
    np.testing.assert_array_equal(table["objective"].to_numpy(), result.trace["objective"])
    assert table.column_names == list(result.trace.dtype.names)


def test_a_path_that_was_left_early_keeps_what_was_reached():
    walk = Walk(toys.problem(), "sfw", GRID)
    for _ in walk.snapshots():
        if walk.reached == 3:
            break
    result = walk.result()
    assert result.status == Status.STOPPED
    assert result.points["point"].tolist() == [0, 1, 2]
    assert result.coefs.shape == (90, 3)
    assert result.summary()["points"] == 3


def test_nothing_reached_is_a_result_too():
    result = Walk(toys.problem(), "sfw", GRID).result()
    summary = json.loads(json.dumps(result.summary()))
    assert summary["points"] == 0
    assert summary["max_relative_gap"] is None
    assert summary["mean_active"] is None


def test_the_summary_tells_the_path():
    X, y = toys.arrays("easy")
    result = walk_path(
        toys.problem("easy", test=(X[:9], y[:9])), "sfw", GRID, sampling="50%", seed=4
    )
    summary = result.summary()
    assert summary["steps"] == result.trace["step"][-1]
    assert summary["mean_active"] == pytest.approx(result.points["nnz"].mean())
    assert summary["best_test_error"] == result.points["test_error"].min()
    assert summary["max_relative_gap"] == pytest.approx(
        result.points["true_gap"].max() / toys.problem("easy").f0
    )
    assert (summary["solver"], summary["seed"], summary["settings"]["sampling"]) == (
        "sfw",
        4,
        "50%",
    )
    assert set(summary["versions"]) >= {"numpy", "numba", "frank-wolfe-explorer"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"solver": "newton"}, "'solver'.*'newton'"),
        ({"grid": []}, "'delta grid'"),
        ({"grid": [1.0, 0.5]}, "strictly increasing"),
        ({"grid": [0.5, 0.5]}, "strictly increasing"),
        ({"grid": [0.0, 1.0]}, "positive and finite.*0.0"),
        ({"grid": [1.0, np.inf]}, "positive and finite"),
        ({"grid": [np.nan]}, "positive and finite"),
        ({"grid": [[1.0]]}, "vector"),
        ({"solver": "cd", "grid": [0.5, 1.0]}, "'lam grid'.*strictly decreasing"),
        ({"seed": -1}, r"'seed'.*\[0, 4294967295\]"),
        ({"seed": True}, "'seed'"),
        (
            {"options": {"tol": 0.0}},
            r"'tol' parameter of StochasticFW must be a number in \[1e-14, 1.0\]. Got 0.0",
        ),
        ({"options": {"tol": float("nan")}}, "'tol'"),
        ({"options": {"rule": "luck"}}, r"'rule'.*\['moved', 'gap'\]"),
        ({"options": {"max_steps": 1.5}}, "'max_steps'.*an int"),
        ({"options": {"sampling": "many"}}, "'sampling' parameter of StochasticFW"),
        (
            {"options": {"sampling": 3}},
            "'sampling' parameter of StochasticFW must be a sampling rule",
        ),
        (
            {"options": {"speed": 3}},
            "'speed' parameter of StochasticFW must be left out: its options are",
        ),
    ],
)
def test_bad_input_is_told_before_anything_runs(arguments, message):
    arguments = {"solver": "sfw", "grid": [1.0], **arguments}
    with pytest.raises(ParameterError, match=message):
        Walk(toys.problem(), **arguments)


COEFFICIENTS = ("indices", "coefficients")


def test_files_of_older_versions_are_read_under_todays_names(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet

    result = walk_path(toys.problem(), "cd", [2.0, 1.0])
    result.to_parquet(tmp_path / "new.parquet")
    new = read_points(tmp_path / "new.parquet")
    old = new.rename_columns(
        [{"train_error": "train_mse", "test_error": "test_mse"}.get(n, n) for n in new.column_names]
    )
    pa.parquet.write_table(old, tmp_path / "old.parquet")
    again = read_points(tmp_path / "old.parquet")
    assert again.column_names == new.column_names == [*result.points.dtype.names, *COEFFICIENTS]
    assert new.column("train_error").to_pylist() == result.points["train_error"].tolist()


def test_a_result_is_a_data_frame_and_an_xarray():
    result = walk_path(toys.problem("wide"), "cd", [2.0, 1.0, 0.5])
    rows = result.to_dataframe()
    assert rows.index.tolist() == result.grid.tolist()
    assert rows["nnz"].tolist() == result.points["nnz"].tolist()
    assert set(rows["status"]) == {"small_move"}
    held = pytest.importorskip("xarray") and result.to_xarray()
    dense = result.coefs.toarray()
    assert held.sizes["feature"] == np.count_nonzero(dense.any(axis=1))
    for feature in held["feature"].to_numpy():
        line = held["coefficient"].sel(feature=feature).to_numpy()
        np.testing.assert_array_equal(line, dense[feature])


def test_results_and_problems_show_themselves_and_execute_nothing():
    X, y = toys.arrays("wide")
    problem = Problem.from_arrays(X, y, name="<script>alert(1)</script>")
    result = walk_path(problem, "active_set", [2.0, 1.0, 0.5], tol=1e-4)
    for told in (result._repr_html_(), problem._repr_html_()):
        assert "<script>" not in told
        assert "&lt;script&gt;" in told
    assert "certified to 0.001" in result._repr_html_()
    assert result._repr_html_().count("<polyline") == min(10, len(np.unique(result.coefs.indices)))
    rough = walk_path(problem, "sfw", [0.5, 1.0], sampling="2", empty="stop")
    assert "not certified" in rough._repr_html_()
    assert f"{problem.p:,}" in problem._repr_html_()


def test_a_bar_shows_the_way_and_an_interrupt_returns_what_was_reached(capsys, monkeypatch):
    problem = toys.problem("wide")
    grid = problem.lam_max * np.geomspace(1.0, 0.01, 20)
    whole = walk_path(problem, "cd", grid, progress=True)
    assert whole.digest() == walk_path(problem, "cd", grid).digest()
    kept = path.Walk._keep

    def interrupted(walk, snapshot):
        kept(walk, snapshot)
        if walk.reached == 7:
            raise KeyboardInterrupt

    monkeypatch.setattr(path.Walk, "_keep", interrupted)
    part = walk_path(problem, "cd", grid, progress=True)
    assert (part.points.size, part.status) == (7, Status.STOPPED)
    assert (part.points["objective"] == whole.points["objective"][:7]).all()
    with pytest.raises(KeyboardInterrupt):
        walk_path(problem, "cd", grid)


@pytest.mark.parametrize("lengths", [(), (0,), (1,), (2, 0, 3)])
def test_rows_are_joined_as_they_are(lengths):
    blocks = [new_rows(n) for n in lengths]
    for k, rows in enumerate(blocks):
        rows["step"], rows["gap"][:1] = k, 0.5
    joined = join_rows(blocks)
    assert joined.dtype == TRACE
    assert joined.tobytes() == b"".join(rows.tobytes() for rows in blocks)
    joined["gap"] = 2.0
    assert not any((rows["gap"] == 2.0).any() for rows in blocks)
