import numpy as np
import pytest
from fakes import shown, walked
from hypothesis import given, settings
from hypothesis import strategies as st
from told import PICTURES, Page

from app import words
from app.feed import Feed
from app.live.features import COUNT, TopFeatures, lookup
from app.live.picture import Shown
from app.live.thinning import DISPLAYED, Thinner, thin
from app.runs import Run
from fwcore import find_solver


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
