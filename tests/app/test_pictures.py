"""What pictures declare, compute and say."""

from dataclasses import replace

import numpy as np
import pytest
from fakes import shown, walked
from told import PICTURES, Page

from app import recorded, words
from app.live import LIVE, all_pictures
from app.live.features import TopFeatures
from app.live.geometry import felt_radius, zigzag
from app.live.paths import CoefficientPaths
from app.live.picture import AXES, Picture, Sight
from app.live.spread import spread
from app.live.thinning import ROUNDING
from app.pace import COSTS, counted
from app.runs import Run
from app.tables import points_table, runs_table
from app.views import VIEWS
from fwcore import datasets, find_solver, sampling


def test_every_picture_says_in_words_what_it_shows():
    run = walked()
    told = {name: picture.describe(run) for name, picture in PICTURES.items()}
    assert "largest coefficient" in told["paths"]
    assert "least test error" in told["error"]
    assert "active features" in told["active"]
    assert "true relative gap" in told["gap"]
    assert "κ/n" not in told["gap"]
    assert "dot products" in told["race"]
    assert "columns a draw" in told["simulator"]
    rows = walked("sfw_rows", points=3, max_steps=10)
    assert f"κ/n = {rows.walk.notes['kappa_share']:.3f}" in PICTURES["gap"].describe(rows)


@pytest.mark.parametrize("picture", LIVE, ids=lambda picture: picture.name)
def test_a_picture_declares_columns_that_its_sources_have(picture):
    run = walked("fw", points=4, oracle="greedy-rows", max_steps=40)
    page = Page(run)
    page.tick()
    entry = shown(run)[0]
    held = page.held | {name: make(entry, entry, -1) for name, make in picture.computed.items()}
    held["spread"] = spread([run, run])
    parts = {"band": ("_low", "_high"), "median": ("_median",)}
    for layer in picture.layers:
        if layer.kind == "level":
            continue
        for wanted, axis in ((layer.x, picture.x), (layer.y, picture.y)):
            columns = axis.columns if wanted is None else wanted.split("|")
            if axis is picture.y:
                columns = [name + part for name in columns for part in parts.get(layer.kind, [""])]
            for column in columns:
                # The current iterate has no row in columns that are known at the end of a point.
                known = layer.source in ("head", "best") or column in held[layer.source]
                assert known, (layer, column)
    assert set(picture.x.columns) | set(picture.y.columns) | set(picture.tips) <= set(AXES)
    assert len(picture.legend.split()) <= 22
    assert len(picture.help.split()) >= 25
    assert picture.declaration()["name"] == picture.name


def test_views_show_pictures_that_exist_each_as_hero_at_most_once():
    known = {picture.name for picture in all_pictures()}
    assert {name for view in VIEWS for name in view.pictures} <= known
    heroes = [view.hero for view in VIEWS if view.hero]
    assert len(set(heroes)) == len(heroes)
    assert all(len(view.beside) == 3 for view in VIEWS if view.hero)


def test_the_race_says_what_a_test_error_costs():
    fw, sfw = walked("fw"), walked("sfw", sampling="2%")
    reached = max(run.points["test_error"].min() for run in (fw, sfw))
    dots = [r.points["dots"][r.points["test_error"] <= reached].min() for r in (fw, sfw)]
    ratio = dots[0] / dots[1]
    times = f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.1f}"
    assert PICTURES["race"].finding(shown(fw, sfw)) == (
        f"sfw1 reaches test error {reached:.3g} with {times} times fewer dot products than fw"
    )


@pytest.mark.parametrize("unit", ["entries", "seconds", "step"])
def test_the_race_says_what_an_error_costs_in_the_unit_of_its_axis(unit):
    fw, sfw = walked("fw"), walked("sfw", sampling="2%")
    told = PICTURES["race"].finding_at(shown(fw, sfw), Sight(unit, "least_error"))
    column = "steps" if unit == "step" else unit
    reached = max(run.points["test_error"].min() for run in (fw, sfw))
    costs = [r.points[column][r.points["test_error"] <= reached][0] for r in (fw, sfw)]
    cheap = "fw" if costs[0] < costs[1] else "sfw1"
    if max(costs) / min(costs) >= 1.05:
        assert told.startswith(f"{cheap} reaches test error {reached:.3g} with ")
        assert f"fewer {COSTS[unit]} than" in told
    else:
        assert told.endswith(f"for as many {COSTS[unit]}")


def test_pictures_say_what_they_show_while_a_run_goes_on():
    run = walked("fw", points=30, upto=25)
    assert not run.state.over
    for name in ("paths", "active", "gap", "bars", "fit", "geometry"):
        assert PICTURES[name].finding(shown(run)), name


def test_a_gap_below_rounding_is_told_in_words():
    exact = walked("certified_ball", points=4, tol=1e-14)
    assert exact.relative_gaps.max() <= ROUNDING
    told = PICTURES["race"].finding_at(shown(walked("fw"), exact), Sight("dots", "relative_gap"))
    assert told.startswith("Worst true gap / f(0): certified_ball1 below rounding, fw ")


def test_the_race_ranks_the_ends_of_other_measures():
    fw, sfw = walked("fw"), walked("sfw", sampling="2%")
    told = PICTURES["race"].finding_at(shown(fw, sfw), Sight("dots", "relative_gap"))
    ends = sorted((run.relative_gaps.max(), name) for run, name in ((fw, "fw"), (sfw, "sfw1")))
    parts = [f"{name} {end:.2g}" for end, name in ends]
    assert told == f"Worst true gap / f(0): {', '.join(parts)}"
    told = PICTURES["race"].finding_at(shown(fw, sfw), Sight("dots", "train_error"))
    assert told.startswith("Train error at the end: ")
    # Nothing can be said of it where no run is certified.
    assert PICTURES["race"].finding_at(shown(fw, sfw), Sight("dots", "suboptimality")) == ""


@pytest.mark.parametrize("picture", all_pictures(), ids=lambda picture: picture.name)
def test_a_finding_is_silent_where_another_column_stands_on_an_axis_it_is_about(picture):
    runs = shown(walked("fw"), walked("sfw", sampling="20%"))
    first = Sight(picture.x.columns[0], picture.y.columns[0])
    if type(picture).finding is not Picture.finding:
        assert picture.finding_at(runs, first) == picture.finding(runs)
    if "y" in picture.about and type(picture).finding_at is Picture.finding_at:
        for column in picture.y.columns[1:]:
            assert picture.finding_at(runs, Sight(first.x, column)) == ""


def test_the_best_of_a_draw_is_as_steep_as_simulated_draws_say():
    (entry,) = shown(walked("sfw", points=6, sampling="5%"))
    run, k = entry.run, 2
    problem, (indices, values) = run.walk.problem, run.walk.columns[k]
    X = np.array([-problem.gradient(row) for row in np.eye(problem.m)])
    a = np.zeros(problem.p)
    a[indices] = values
    slopes = np.abs(X.T @ (X @ a - problem.y))
    found = PICTURES["draws"].computed["draws"](entry, entry, k)
    random = np.random.default_rng(0)
    draws = [random.choice(problem.p, run.kappa(), replace=False) for _ in range(4000)]
    best = np.array([slopes[drawn].max() for drawn in draws]) / slopes.max()
    for share, chance in list(zip(found["slope_share"], found["draw_share"], strict=True))[::10]:
        # Slopes that are equal but for rounding are found together.
        assert abs((best >= share * (1 - 1e-9)).mean() - chance) < 0.04
    told = PICTURES["draws"].finding_at([entry], Sight("slope_share", "draw_share", k))
    said = float(told.partition("find ")[2].partition("%")[0]) / 100
    assert abs(np.median(best) - said) < 0.03
    # Another point has not been computed, and a tick takes no pass over X.
    assert PICTURES["draws"].finding_at([entry], Sight("slope_share", "draw_share", 4)) == ""


def test_inside_a_point_its_title_counts_its_steps():
    (entry,) = shown(walked("fw", points=5, rule="gap", tol=1e-3))
    steps = np.diff(entry.run.points["steps"], prepend=0)
    for k in range(5):
        told = PICTURES["inside"].finding_at([entry], Sight("place", "gap", k))
        assert told.startswith(f"Point {k + 1} of fw: {steps[k]:,} step")
        own = entry.run.own_gaps[k]
        assert (f"{own:.1e}" in told) == (own > 1e-13)


def test_a_race_under_way_compares_at_equal_cost():
    fw, sfw = walked("fw", upto=3), walked("sfw", sampling="2%", upto=25)
    told = PICTURES["race"].finding(shown(fw, sfw))
    spent = min(run.points["dots"][-1] for run in (fw, sfw))
    assert told.startswith(f"Test error after {counted(float(spent))} dot products each: sfw1 ")
    # The least error first.
    assert ", fw " in told


def test_a_race_that_was_stopped_early_compares_at_equal_cost():
    fw, sfw = walked("fw", upto=2), walked("sfw", sampling="2%", upto=25)
    for run in (fw, sfw):
        run.stop()
    errors = fw.points["test_error"]
    errors[:] = [errors[0], 0.99 * errors[0]]
    assert " dot products each: sfw1 " in PICTURES["race"].finding(shown(fw, sfw))


@pytest.mark.parametrize("case", ["one run", "a library", "nothing held out"])
def test_a_race_of_less_than_two_says_what_the_one_has_reached(case):
    runs = [walked(points=5), walked("sklearn" if case == "a library" else "cd", points=3)]
    if case == "one run":
        del runs[1]
    if case == "nothing held out":
        runs[1].walk.points["test_error"] = np.nan
    least = np.nanmin(runs[0].points["test_error"])
    told = PICTURES["race"].finding(shown(*runs))
    assert told.startswith(f"sfw reaches test error {least:.3g} after ")
    assert told.endswith(" dot products")
    runs[0].walk.points["test_error"] = np.nan
    assert PICTURES["race"].finding(shown(*runs)) == ""


def test_a_repeated_run_is_told_by_its_median():
    seeds = [walked("sfw", points=8, sampling="2%", seed=k) for k in range(3)]
    fw = walked("fw", points=8)
    entries = shown(seeds[0], fw)
    entries[0] = replace(entries[0], group=tuple(seeds))
    told = PICTURES["race"].finding(entries)
    errors = np.median([np.fmin.accumulate(r.points["test_error"]) for r in seeds], axis=0)
    dots = np.median([r.points["dots"] for r in seeds], axis=0)
    shared = max(errors[-1], np.nanmin(fw.points["test_error"]))
    cost = dots[np.flatnonzero(errors <= shared)[0]]
    other = fw.points["dots"][np.flatnonzero(fw.points["test_error"] <= shared)[0]]
    ratio = other / cost
    times = f"{ratio:,.0f} times" if ratio >= 10 else f"{ratio:.1f} times"
    assert told == f"sfw reaches test error {shared:.3g} with {times} fewer dot products than fw1"


def test_a_repeat_that_failed_leaves_the_title_to_the_others():
    first, fw = walked("sfw", points=8), walked("fw", points=8)
    failed = Run(find_solver("sfw"), {}, 1)
    failed.fail(ValueError("no"))
    entries = shown(first, fw)
    entries[0] = replace(entries[0], group=(first, failed))
    assert PICTURES["race"].finding(entries).startswith("fw1 reaches test error ")


def test_a_run_that_has_hardly_begun_wins_and_loses_no_race():
    whole, stopped = walked("fw", points=30), walked("sfw", points=30, sampling="5%", upto=1)
    stopped.stop()
    while not stopped.state.over:
        stopped.turn()
    assert PICTURES["race"].finding(shown(whole, stopped)) == ""


def test_suboptimality_is_told_of_those_that_are_measured_from_the_certified_run():
    fw, best = walked("fw", points=10), walked("certified", points=60, tol=1e-8)
    sight = Sight("dots", "suboptimality")
    told = PICTURES["race"].finding_at(shown(fw, best), sight)
    assert told.startswith("Suboptimality / f(0) at the end: fw ")
    assert "certified" not in told
    assert PICTURES["race"].finding_at(shown(fw), sight) == ""


def test_runs_that_got_differently_far_are_compared_at_a_norm_that_both_have():
    fw, cd = walked("fw", points=30, rule="gap", tol=1e-4), walked("cd", points=40)
    short = walked("fw", points=30, rule="gap", tol=1e-4, upto=10)
    short.stop()
    while not short.state.over:
        short.turn()
    norm = short.points["l1"].max()
    told = PICTURES["active"].finding(shown(short, cd))
    assert told.startswith(f"At ℓ1 norm {norm:.3g} ")
    there = cd.points["nnz"][np.abs(cd.points["l1"] - norm).argmin()]
    assert f" {there:,}" in told
    # Of one run the two are the same at that norm.
    assert "share 100% of their features" in PICTURES["overlap"].finding(shown(fw, short))


def test_relevant_columns_that_are_assumed_are_not_told_as_known():
    run = walked("sfw", points=5, sampling="5%")
    known, certified = shown(run, walked("certified", points=5))
    assert "if 32 matter" not in PICTURES["simulator"].finding([known])
    assumed = [replace(certified, lead=True), replace(known, lead=False, surely=False)]
    assert PICTURES["simulator"].finding(assumed).startswith("A draw of sfw misses all 32")
    assert PICTURES["simulator"].finding(assumed).endswith(", if 32 matter")


def test_the_gap_says_what_a_sample_does_not_see():
    sfw, fw = walked("sfw", sampling="1%", tol=1e-3), walked("fw", rule="gap")
    told = PICTURES["gap"].finding(shown(sfw, fw))
    known = (sfw.own_gaps > 1e-13) & (sfw.relative_gaps > 1e-13)
    ratio = np.median(sfw.relative_gaps[known] / sfw.own_gaps[known])
    assert told.startswith("The true gap of sfw is ")
    assert f"{ratio:,.0f}" in told or f"{ratio:.1f}" in told
    assert "its own gap is the true one" in PICTURES["gap"].finding(shown(sfw, fw, lead=1))


@pytest.mark.parametrize(
    ("true", "own", "told"),
    [
        # Most points are exact, and one is not.
        ([1e-15, 1e-15, 1e-15, 2e-2], [1e-16, 1e-16, 1e-16, 1e-3], "is 20 times what"),
        ([1e-3, 1e-3, 1e-3, 2e-2], [1e-3, 1e-3, 1e-3, 1e-3], "is up to 20 times what"),
        ([1e-15] * 4, [9e-7] * 4, "true gap at most 1.0e-13"),
        ([1e-9] * 4, [9e-7] * 4, "the true gap is below its own, at most 1.0e-09"),
        ([1e-3] * 4, [1e-3] * 4, "its own gap is the true one, at most 1.0e-03"),
    ],
)
def test_the_gap_is_not_called_the_true_one_where_it_is_not(true, own, told):
    run = walked("fw", points=4)
    f0 = run.walk.problem.f0
    run.walk.points["true_gap"] = np.array(true) * f0
    run.__dict__["_ends"] = ([len(run.walk.chunks)], dict(enumerate(np.array(own) * f0)))
    assert told in PICTURES["gap"].finding(shown(run))


def test_inside_a_point_are_its_steps_and_no_others():
    run = walked("fw", points=5, rule="gap", tol=1e-3)
    entry = shown(run)[0]
    for k in range(5):
        rows = np.concatenate([c["gap"] for c in run.walk.chunks if c["point"][0] == k])
        gaps = rows / run.walk.problem.f0
        inside = PICTURES["inside"].computed["inside"](entry, entry, k)
        places = np.flatnonzero(gaps > 1e-13)
        shown_places = np.array(inside["place"]) - 1
        assert set(shown_places) <= set(places)
        assert shown_places[-1] == places[-1]
        np.testing.assert_allclose(inside["gap"], gaps[shown_places])
    assert PICTURES["inside"].computed["inside"](entry, entry, -1) == inside


def test_nothing_is_inside_a_point_of_a_run_that_has_yet_to_begin():
    entry = shown(walked("fw", points=5))[0]
    entry.run.walk = None
    for compute in PICTURES["inside"].computed.values():
        assert compute(entry, entry, 2) == {"place": [], "gap": [], "excess": []}


@pytest.mark.parametrize(("solver", "everywhere"), [("fw", True), ("sfw_rows", False)])
def test_what_is_left_of_f_inside_a_point_keeps_below_what_is_proven(solver, everywhere):
    run = walked(solver, points=4, rule="gap", tol=1e-2)
    entry, computed = shown(run)[0], PICTURES["inside"].computed
    for k in range(4):
        inside, proven = (computed[name](entry, entry, k) for name in ("inside", "proven"))
        excess = np.array(inside["excess"])
        # The judge's lower bound of min f is below all of the path.
        known = np.isfinite(excess)
        assert (excess[known] > 0).all()
        assert known.any() or run.relative_gaps[k] < 1e-12
        if k and not everywhere:
            assert not proven["place"]
            continue
        bound = np.interp(inside["place"], proven["place"], proven["excess"])
        slack = run.relative_gaps[k]
        assert (excess[known] <= bound[known] + slack).all()


def test_nothing_is_proven_in_another_form_and_recorded_runs_have_their_bound():
    computed = PICTURES["inside"].computed
    penalised, kept = shown(walked("cd", points=3))[0], shown(recorded.runs()[0])[0]
    assert not computed["proven"](penalised, penalised, 1)["place"]
    inside = computed["inside"](penalised, penalised, 1)
    assert inside["place"]
    assert not np.isfinite(inside["excess"]).any()
    steps = np.diff(kept.run.points["steps"])[-1]
    assert computed["proven"](kept, kept, -1)["place"][-1] == steps


@pytest.mark.parametrize(
    ("solver", "options", "counted"),
    [
        ("fw", {}, True),
        ("fw", {"oracle": "greedy-rows", "max_steps": 40}, False),
        ("smidas", {"max_steps": 3}, False),
    ],
)
def test_dot_products_are_no_cost_of_what_looks_at_parts_of_columns(solver, options, counted):
    run = walked(solver, points=3, **options)
    page = Page(run)
    page.tick()
    assert np.isfinite(page.held["points"]["dots"]).any() == counted
    assert np.isfinite(page.held["points"]["entries"]).all()
    (row,) = runs_table(shown(run))["rows"]
    assert ("not counted" in row) != counted
    assert ("dots" in words._spent([run])) == counted
    batches = find_solver("stoch_cosamp")
    assert not batches.counts_dots(batches.Options())


def test_the_model_compares_runs_at_equal_norms():
    fw, sfw = walked("fw"), walked("sfw", sampling="20%")
    lead, other = shown(fw, sfw)
    compute = PICTURES["bars"].computed["bars"]
    held, beside = compute(lead, lead, 20), compute(other, lead, 20)
    assert held["feature"] == beside["feature"]
    dense = fw.walk.result().coefs.toarray()[:, 20]
    largest = sorted(np.abs(dense))[::-1][:12]
    np.testing.assert_allclose(np.abs(held["coefficient"]), largest)
    k = np.abs(sfw.points["l1"] - fw.points["l1"][20]).argmin()
    theirs = sfw.walk.result().coefs.toarray()[:, k]
    assert set(beside["coefficient"]) <= set(theirs.tolist())
    overlap = PICTURES["overlap"].computed["overlap"](lead, lead, 0)["overlap"]
    assert overlap == [1.0] * 30


def test_the_fit_is_that_of_the_rows_held_out():
    run = walked("fw")
    entry, problem = shown(run)[0], run.walk.problem
    fit = PICTURES["fit"].computed["fit"](entry, entry, 29)
    assert np.mean(np.square(fit["residual"])) == pytest.approx(run.points["test_error"][29])
    assert len(fit["actual"]) == len(problem.test_y)
    right = PICTURES["fit"].computed["right"](entry, entry, 29)
    assert right["actual"] == right["predicted"] == [min(fit["actual"]), max(fit["actual"])]
    assert right["residual"] == [0.0, 0.0]


def test_quartiles_leave_out_what_is_below_rounding():
    runs = [walked("fw", points=4, seed=k) for k in range(2)]
    for run in runs:
        run.walk.points["true_gap"][1] = 1e-16 * run.walk.problem.f0
    low = np.array(spread(runs)["relative_gap_low"])
    assert np.isnan(low[1])
    np.testing.assert_array_equal(np.isnan(low), runs[0].relative_gaps <= 1e-13)
    assert low[3] > 1e-13


def test_the_simulator_agrees_with_equation_11():
    entry = shown(walked())[0]
    computed = PICTURES["simulator"].computed
    formula, drawn = (computed[name](entry, entry, -1) for name in ("formula", "simulated"))
    # A hundred draws: four standard deviations.
    for expected, share in zip(formula["miss"], drawn["miss"], strict=True):
        assert abs(expected - share) <= 4 * np.sqrt(expected * (1 - expected) / 100) + 0.02
    here = computed["here"](entry, entry, -1)
    assert here["miss"] == [sampling.miss_probability(1000, 10, 32)]


def test_points_that_chance_ended_are_drawn_told_and_counted():
    run = walked("sfw", points=20, sampling="2", empty="stop", tol=1e-3)
    ended = run.ended_by_chance
    assert ended > 3
    assert PICTURES["empty"].finding(shown(run)) == f"Chance ended {ended} of the 20 points of sfw"
    assert f"{ended} of 20 points ended by chance" in PICTURES["empty"].describe(run)
    page = Page(run)
    page.tick()
    drawn = page.held["points"]
    marked = np.isfinite(drawn["chance_share"])
    assert marked.sum() == ended
    assert np.array(drawn["chance_share"])[marked] == pytest.approx(
        np.array(drawn["empty_share"])[marked]
    )
    table = runs_table(shown(run, walked("cd", points=5)))
    assert table["head"][-1] == "points ended by chance"
    assert [row[-1] for row in table["rows"]] == [str(ended), "0"]


def test_the_table_holds_medians_over_the_seeds_of_a_repeated_run():
    seeds = [walked(points=8, sampling="5%", seed=seed) for seed in range(3)]
    other = walked("cd", points=8)
    entries = shown(seeds[0], other)
    entries[0] = replace(entries[0], group=(*seeds,))
    table = runs_table(entries)
    assert table["caption"].endswith("; medians over the seeds of runs that have several")
    (row, beside) = (dict(zip(table["head"], cells, strict=True)) for cells in table["rows"])
    steps, errors, gaps = zip(
        *(
            (r.points["steps"][-1], r.points["test_error"].min(), r.relative_gaps.max())
            for r in seeds
        ),
        strict=True,
    )
    assert len(set(steps)) == 3
    assert row["steps"] == f"{np.median(steps):,.0f}"
    assert row["least test error"] == f"{np.median(errors):.4g}"
    assert row["worst true gap / f(0)"] == f"{np.median(gaps):.2e}"
    assert row["speed-up"] == "the baseline"
    dots = np.median([r.points["dots"][-1] for r in seeds])
    times = f"{dots / other.points['dots'][-1]:.3g}"
    assert beside["times fewer dot products"] == times
    assert points_table(entries)["caption"].startswith("The points of sfw, seed 0; ")
    # A seed that is behind holds the others back, so that like is compared with like.
    late = walked(points=8, sampling="5%", seed=3, upto=2)
    entries[0] = replace(entries[0], group=(seeds[0], late))
    steps = np.median([r.points["steps"][1] for r in (seeds[0], late)])
    assert dict(zip(table["head"], runs_table(entries)["rows"][0], strict=True))["steps"] == (
        f"{steps:,.0f}"
    )


def test_the_first_to_enter_are_among_those_that_are_drawn():
    run = recorded.runs()[0]
    drawn = TopFeatures()
    drawn.follow(run.walk.columns, run.reached)
    drawn.choose()
    said = CoefficientPaths().finding(shown(run))
    names = said.removeprefix("First of these to enter: ").split(", ")
    places = {run.feature_name(j): j for j in drawn.indices}
    assert len(names) == 3
    assert set(names) <= set(places)
    active = [set(indices.tolist()) for indices, _ in run.walk.columns]
    first = {name: [j in known for known in active].index(True) for name, j in places.items()}
    latest = max(first[name] for name in names)
    assert all(first[name] >= latest for name in set(places) - set(names))


def test_the_zigzag_stays_in_the_ball_and_descends_to_its_optimum():
    gram, correlation, delta = np.array([[1.0, 0.3], [0.3, 1.0]]), np.array([1.0, 0.8]), 0.6
    path, vertices = zigzag(gram, correlation, delta)
    assert np.abs(vertices).sum(axis=1) == pytest.approx(delta)
    assert len(path) == len(vertices) + 1
    values = [0.5 * a @ gram @ a - correlation @ a for a in path]
    assert (np.diff(values) <= 1e-15).all()
    assert (np.abs(path).sum(axis=1) <= delta + 1e-12).all()
    # On the face a1 + a2 = delta, by hand.
    first = (delta * (1.0 - 0.3) + correlation[0] - correlation[1]) / (2 * (1.0 - 0.3))
    assert path[-1] == pytest.approx([first, delta - first], abs=0.02)


def test_a_zigzag_is_seen_where_there_can_be_one():
    gram, correlation = np.array([[1.0, 0.3], [0.3, 1.0]]), np.array([1.0, 0.8])
    delta = felt_radius(gram, correlation)
    assert delta < np.abs(np.linalg.solve(gram, correlation)).sum()
    _, vertices = zigzag(gram, correlation, delta)
    assert (vertices[1:11] != vertices[:10]).any(axis=1).all()
    # Where one feature moves further than both in the end, the ball is felt all the same.
    alike = np.array([[1.0, 0.9], [0.9, 1.0]])
    assert felt_radius(alike, np.array([1.0, 0.9])) == pytest.approx(0.7)


def test_a_plane_is_drawn_of_a_quadratic_only():
    quadratic = shown(walked("fw"))[0]
    compute = PICTURES["geometry"].computed
    assert len(compute["zigzag"](quadratic, quadratic, 20)["first"]) > 2
    assert len(compute["levels"](quadratic, quadratic, 20)["first"]) == 7
    problem = datasets.load("breast-cancer", loss="logistic")
    quadratic.run.walk.problem = problem
    assert compute["ball"](quadratic, quadratic, 20) == {"first": [], "second": []}
