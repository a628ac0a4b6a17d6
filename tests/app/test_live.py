from itertools import combinations

import numpy as np
import pytest
from fakes import Kept, shown, walked
from hypothesis import given, settings
from hypothesis import strategies as st

from app import words
from app.feed import Feed
from app.live import LIVE, all_pictures
from app.live.features import COUNT, TopFeatures, lookup
from app.live.geometry import zigzag
from app.live.picture import AXES, Shown
from app.live.sources import RunSources
from app.live.spread import spread
from app.live.thinning import DISPLAYED, Thinner, thin
from app.runs import Run, counted
from app.theme import RUN_COLOURS, run_look, run_style
from app.views import VIEWS
from fwcore import datasets, find_solver, sampling

PICTURES = {picture.name: picture for picture in LIVE}
ALL_SOURCES = set().union(*(picture.sources for picture in LIVE))


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 3000), st.integers(4, 300), st.integers(0, 2**32 - 1))
def test_thinning_keeps_order_extremes_and_the_last_row(n, rows, seed):
    values = np.random.default_rng(seed).random(n)
    kept = thin(np.arange(1, n + 1), values, rows)
    assert (np.diff(kept) > 0).all()
    assert len(kept) <= max(rows, 4) + 3 or n <= rows
    assert values.argmax() in kept
    assert values.argmin() in kept
    assert n - 1 in kept


def test_a_line_never_shows_more_than_its_share_however_long_it_gets():
    thinner, shown = Thinner(), []
    for start in range(1, 200_001, 1000):
        steps = np.arange(start, start + 1000)
        rows, _, replace = thinner.add(steps, 1.0 / steps)
        shown = list(rows) if replace else shown + list(rows)
        assert len(shown) <= DISPLAYED
        assert shown == sorted(shown)
    assert shown[-1] == 200_000


def test_what_a_logarithmic_axis_cannot_show_is_left_out():
    steps, values, _ = Thinner().add(np.arange(5), np.array([1.0, 0.0, np.nan, -1.0, 1e-17]))
    assert (steps.tolist(), values.tolist()) == ([0], [1.0])


def test_top_features_are_the_largest_by_mean_and_keep_their_places():
    features = TopFeatures()
    columns = [
        (np.arange(12), np.arange(12) / 10.0),
        (np.array([0]), np.array([-9.0])),
        (np.array([1]), np.array([0.05])),
    ]
    features.follow(columns, 1)
    assert features.choose()
    first = features.indices
    assert sorted(first) == list(range(2, 12))
    features.follow(columns, 2)
    assert features.choose()
    assert set(features.indices) == {0, *range(3, 12)}
    assert [b for a, b in zip(first, features.indices, strict=True) if a == b] == [
        j for j in first if j != 2
    ]
    features.follow(columns, 3)
    assert not features.choose()
    assert len(features.indices) == COUNT


def test_lookup_finds_what_is_there_and_zero_elsewhere():
    assert lookup([5, 0, 9], np.array([0, 5, 7]), np.array([1.0, 2.0, 3.0])) == [2.0, 1.0, 0.0]
    assert lookup([3], np.zeros(0, int), np.zeros(0)) == [0.0]


class Page:
    """Sources of one run, and what a page would hold of them."""

    def __init__(self, run):
        self.held = {}
        self.features = TopFeatures()
        self.sources = RunSources(run, Kept(self.held))

    def tick(self, wanted=ALL_SOURCES):
        run = self.sources.run
        self.features.follow(run.walk.columns, run.reached)
        self.sources.tick(wanted, self.features, self.features.choose())


def test_sources_hold_what_the_walk_says_also_while_it_goes_on():
    run = walked(upto=10)
    page = Page(run)
    page.tick()
    assert page.held["points"]["l1"] == run.points["l1"].tolist()
    assert page.held["head"]["nnz"] == [int(run.latest.rows[-1]["nnz"])]
    while not run.state.over:
        run.turn()
        page.tick()
    points, rows = page.held["points"], run.points
    assert points["nnz"] == rows["nnz"].tolist()
    assert points["point"] == list(range(1, 31))
    assert points["dots"] == rows["dots"].tolist()
    assert points["least_error"] == np.minimum.accumulate(rows["test_error"]).tolist()
    true = np.where(run.relative_gaps > 1e-13, run.relative_gaps, np.nan)
    np.testing.assert_allclose(points["relative_gap"], true)
    own = np.where(run.own_gaps > 1e-13, run.own_gaps, np.nan)
    np.testing.assert_allclose(points["own_gap"], own)
    best = rows["test_error"].argmin()
    assert page.held["best"]["l1"] == [rows["l1"][best]]
    assert page.held["head"]["l1"] == []
    dense = run.walk.result().coefs.toarray()
    largest = np.abs(dense).mean(axis=1).argsort()[-COUNT:]
    drawn = page.held["paths"]["coefficient"]
    assert sorted(drawn) == sorted(dense[j].tolist() for j in largest)
    assert [len(line) for line in page.held["paths"]["l1"]] == [30] * COUNT


def test_what_nobody_looks_at_is_not_sent_and_is_there_once_somebody_does():
    page = Page(walked())
    page.tick({"points"})
    assert set(page.held) == {"points", "best"}
    before = repr(page.held["points"])
    page.sources.resend()
    page.tick()
    assert repr(page.held["points"]) == before
    assert {"paths", "gaps", "checks", "moves"} <= set(page.held)


def test_what_was_lost_is_sent_again():
    page = Page(walked())
    page.tick()
    before = repr(sorted(page.held.items()))
    page.held.clear()
    page.tick()
    assert "points" not in page.held
    page.sources.resend()
    page.tick()
    assert repr(sorted(page.held.items())) == before


@pytest.mark.parametrize("name", ["sklearn", "lars", "smidas"])
def test_a_run_without_rules_or_objective_of_its_own_is_drawn_as_any_other(name):
    run = walked(name, points=4)
    page = Page(run)
    page.tick()
    assert page.held["points"]["nnz"] == run.points["nnz"].tolist()
    assert (run.stopping is None) == (name != "smidas")
    assert ("as the library does" in PICTURES["gap"].describe(run)) == (name != "smidas")
    told = words.row([run])
    assert ("calls of the library" in told["more"]) == (name != "smidas")
    # What samples rows takes derivatives of samples, and no dot products.
    assert ("derivatives" in told["figures"]) == (name == "smidas")


def test_right_answers_are_drawn_where_an_oracle_may_be_wrong():
    exact = walked("fw", points=3, max_steps=50)
    partial = walked("fw", points=3, max_steps=50, oracle="greedy-rows")
    assert PICTURES["hits"].describe(exact) == ""
    page = Page(partial)
    page.tick()
    hits = partial.trace("hit")
    assert 0 < hits.mean() <= 1
    held = page.held["hits"]
    assert held["step"][-1] == hits.size
    assert all(
        share == pytest.approx(hits[:step].mean())
        for step, share in zip(held["step"], held["share"], strict=True)
    )
    assert f"{hits.mean():.1%} of the columns" in PICTURES["hits"].describe(partial)
    assert f"fw {hits.mean():.0%}" in PICTURES["hits"].finding(shown(partial))


def luminance(colour):
    return rgb(colour) @ [0.2126, 0.7152, 0.0722]


def rgb(colour):
    """Linear red, green and blue."""
    parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(linear):
    """CIE L*a*b* of linear RGB."""
    to_xyz = [[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]]
    x = np.clip(linear, 0, 1) @ np.transpose(to_xyz) / [0.95047, 1.0, 1.08883]
    x = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.array([116 * x[1] - 16, 500 * (x[0] - x[1]), 200 * (x[1] - x[2])])


# Machado, Oliveira & Fernandes (2009), severity 1.
EYES = {
    "all cones": np.eye(3),
    "protan": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
    "deutan": [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
}


@pytest.mark.parametrize("eyes", EYES)
def test_runs_can_be_told_apart_by_their_colours(eyes):
    seen = [lab(np.asarray(EYES[eyes]) @ rgb(colour)) for colour in RUN_COLOURS]
    pairs = [np.linalg.norm(a - b) for a, b in combinations(seen, 2)]
    assert min(pairs) >= 20
    assert len({run_style(k) for k in range(40)}) == 40


def test_runs_have_contrast_in_light_and_in_dark():
    for colour in RUN_COLOURS:
        assert 1.05 / (luminance(colour) + 0.05) >= 3
        assert (luminance(colour) + 0.05) / (luminance("#121212") + 0.05) >= 3


def test_each_of_forty_runs_looks_like_no_other():
    looks = {(look["colour"], look["dash"]) for look in map(run_look, range(40))}
    assert len(looks) == 40


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


def test_a_race_under_way_compares_at_equal_cost():
    fw, sfw = walked("fw", upto=3), walked("sfw", sampling="2%", upto=25)
    told = PICTURES["race"].finding(shown(fw, sfw))
    spent = min(run.points["dots"][-1] for run in (fw, sfw))
    assert told.startswith(f"Test error after {counted(float(spent))} dot products each: fw ")


@pytest.mark.parametrize("case", ["one run", "a library", "nothing held out"])
def test_a_race_of_less_than_two_has_no_finding(case):
    runs = [walked(points=5), walked("sklearn" if case == "a library" else "cd", points=3)]
    if case == "one run":
        del runs[1]
    if case == "nothing held out":
        runs[1].walk.points["test_error"] = np.nan
    assert PICTURES["race"].finding(shown(*runs)) == ""


def test_the_gap_says_what_a_sample_does_not_see():
    sfw, fw = walked("sfw", sampling="1%", tol=1e-3), walked("fw", rule="gap")
    told = PICTURES["gap"].finding(shown(sfw, fw))
    known = (sfw.own_gaps > 0) & (sfw.relative_gaps > 0)
    ratio = np.median(sfw.relative_gaps[known] / sfw.own_gaps[known])
    assert told.startswith("The true gap of sfw is ")
    assert f"{ratio:,.0f}" in told or f"{ratio:.1f}" in told
    assert "its own gap is the true one" in PICTURES["gap"].finding(shown(sfw, fw, lead=1))


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


def test_the_simulator_agrees_with_equation_11():
    entry = shown(walked())[0]
    computed = PICTURES["simulator"].computed
    formula, drawn = (computed[name](entry, entry, -1) for name in ("formula", "simulated"))
    # A hundred draws: four standard deviations.
    for expected, share in zip(formula["miss"], drawn["miss"], strict=True):
        assert abs(expected - share) <= 4 * np.sqrt(expected * (1 - expected) / 100) + 0.02
    here = computed["here"](entry, entry, -1)
    assert here["miss"] == [sampling.miss_probability(1000, 10, 32)]


def test_the_zigzag_stays_in_the_ball_and_descends_to_its_optimum():
    gram, correlation, delta = np.array([[1.0, 0.3], [0.3, 1.0]]), np.array([1.0, 0.8]), 0.6
    path = zigzag(gram, correlation, delta)
    values = [0.5 * a @ gram @ a - correlation @ a for a in path]
    assert (np.diff(values) <= 1e-15).all()
    assert (np.abs(path).sum(axis=1) <= delta + 1e-12).all()
    # On the face a1 + a2 = delta, by hand.
    first = (delta * (1.0 - 0.3) + correlation[0] - correlation[1]) / (2 * (1.0 - 0.3))
    assert path[-1] == pytest.approx([first, delta - first], abs=0.02)


def test_a_plane_is_drawn_of_a_quadratic_only():
    quadratic = shown(walked("fw"))[0]
    compute = PICTURES["geometry"].computed
    assert len(compute["zigzag"](quadratic, quadratic, 20)["first"]) > 2
    assert len(compute["levels"](quadratic, quadratic, 20)["first"]) == 7
    problem = datasets.load("breast-cancer", loss="logistic")
    quadratic.run.walk.problem = problem
    assert compute["ball"](quadratic, quadratic, 20) == {"first": [], "second": []}


def test_features_of_one_problem_are_not_asked_of_another():
    feed = Feed(None, None, None, lambda job: None)
    wide, waiting, done = walked("cd", points=5), Run(find_solver("fw"), {}, 0), walked("cd")
    feed._choose_features([Shown(1, "wide", wide, lead=True)])
    feed._features.indices = [10**6]
    feed._choose_features([Shown(1, "fw", waiting, lead=True), Shown(2, "cd", done)])
    assert feed._features.indices
    assert max(feed._features.indices) < done.walk.problem.p
    feed._features.indices = [10**6]
    feed._choose_features([Shown(1, "fw", waiting, lead=True)])
    assert feed._features.indices == []
