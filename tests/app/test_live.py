from itertools import combinations

import numpy as np
import panel as pn
import pytest
from bokeh.models import Range1d
from hypothesis import given, settings
from hypothesis import strategies as st

from app import words
from app.board import Board
from app.live import LIVE, ActiveFeatures, Gaps, Hits
from app.live.features import COUNT, TopFeatures, lookup
from app.live.picture import Picture
from app.live.race import Race
from app.live.thinning import DISPLAYED, Thinner, thin
from app.runs import Run
from app.theme import RUN_COLOURS, run_style
from app.wire import Wire
from fwcore import datasets, find_solver, grids


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


def walked(name="sfw", points=30, upto=None, **options):
    run = Run(find_solver(name), {"tol": 1e-2, **options}, 0, None)
    problem = datasets.load("diabetes")
    run.prepare(
        problem,
        grids.delta_grid(5.0, points)
        if run.solver.form == "ball"
        else grids.lam_grid(problem, points),
    )
    while not run.state.over and (upto is None or run.walk.reached < upto):
        run.turn()
    return run


def pictured(board, kind):
    return next(picture for picture in board.pictures if type(picture) is kind)


def test_the_board_streams_points_and_shows_what_the_walk_says():
    run, board = walked(upto=10), Board(Wire())
    board.begin([run])
    board.tick()
    shown = board.sources[0]
    reached = run.walk.reached
    assert shown.points.data["l1"] == run.walk.points["l1"][:reached].tolist()
    while not run.state.over:
        run.turn()
        board.tick()
    board.tick()
    assert shown.points.data["nnz"] == run.walk.points["nnz"].tolist()
    assert shown.points.data["point"] == list(range(30))
    best = run.walk.points["test_error"].argmin()
    assert shown.best.data["l1"] == [run.walk.points["l1"][best]]
    assert shown.head.data["l1"] == []
    dense = run.walk.result().coefs.toarray()
    largest = np.abs(dense).mean(axis=1).argsort()[-1]
    drawn = [shown.paths.data[f"c{k}"] for k in range(COUNT)]
    assert dense[largest].tolist() in drawn
    assert all(len(column) == 30 for column in drawn)
    assert board._l1_range.end == pytest.approx(1.02 * 5.0)


def test_an_overlay_follows_the_features_of_the_first_run():
    first, second, board = walked("sfw"), walked("cd"), Board(Wire())
    board.begin([first, second])
    board.tick()
    features = board._features.indices
    dense = second.walk.result().coefs.toarray()
    for k, j in enumerate(features):
        assert board.sources[1].paths.data[f"c{k}"] == dense[j].tolist()


@pytest.mark.parametrize("name", ["sklearn", "lars", "smidas"])
def test_a_run_without_rules_or_objective_of_its_own_is_drawn_as_any_other(name):
    run, board = (
        Run(find_solver(name), find_solver(name).Options().settings(), 0, None),
        Board(Wire()),
    )
    problem = datasets.load("diabetes")
    run.prepare(
        problem,
        grids.delta_grid(5.0, 4) if run.solver.form == "ball" else grids.lam_grid(problem, 4),
    )
    board.begin([run])
    while not run.state.over:
        run.turn()
        board.tick()
    board.tick()
    board.say()
    assert run.state.name == "DONE"
    assert board.sources[0].points.data["nnz"] == run.walk.points["nnz"].tolist()
    assert pictured(board, Gaps)._levels[0].visible == (name == "smidas")
    told = board._captions["gap"].text
    assert ("as the library does" in told) == (name != "smidas")
    assert ("calls of the library" in words._figures(run)) == (name != "smidas")
    # What samples rows takes derivatives of samples, and no dot products.
    assert ("derivatives" in words._figures(run)) == (name == "smidas")


def test_right_answers_are_drawn_where_an_oracle_may_be_wrong():
    exact, partial, unjudged = (
        walked("fw", points=3, max_steps=50, **given)
        for given in ({}, {"oracle": "greedy-rows"}, {"oracle": "greedy-rows", "oracle_judge": 0})
    )
    board = Board(Wire())
    assert not board._extra.visible
    for runs, seen in (
        ([exact], False),
        ([exact, partial], True),
        ([unjudged], False),
        ([partial], True),
    ):
        board.begin(runs)
        board.tick()
        assert board._extra.visible is seen
    hits = np.concatenate([rows["hit"] for rows in partial.walk.chunks])
    assert 0 < hits.mean() <= 1
    shown = board.sources[0].hits.data
    assert shown["step"][-1] == hits.size
    assert shown["share"][-1] == pytest.approx(hits.mean())
    assert all(
        share == pytest.approx(hits[:step].mean())
        for step, share in zip(shown["step"], shown["share"], strict=True)
    )
    board.say()
    assert f"{hits.mean():.1%} of the columns" in board._captions["hits"].text
    assert pictured(board, Hits).describe(exact) == ""
    # Sent again as it was.
    before = dict(shown)
    board.resend()
    board.tick()
    assert board.sources[0].hits.data == before


def test_a_single_step_of_a_library_is_a_point_that_comes_back():
    run, problem = Run(find_solver("sklearn"), {"tol": 1e-4}, 0, None), datasets.load("diabetes")
    run.prepare(problem, grids.lam_grid(problem, 4))
    run.step()
    while run.due() is not None:
        run.turn()
    assert run.walk.reached == 1
    run.stop()


def test_what_was_lost_is_sent_again():
    run, board = walked(), Board(Wire())
    board.begin([run])
    board.tick()
    before = {name: list(values) for name, values in board.sources[0].points.data.items()}
    gaps = list(board.sources[0].gaps.data["step"])
    board.sources[0].points.data = {name: [] for name in before}
    board.resend()
    board.tick()
    assert {name: list(values) for name, values in board.sources[0].points.data.items()} == before
    assert list(board.sources[0].gaps.data["step"]) == gaps


def test_reset_empties_the_pictures_and_a_new_run_starts_afresh():
    board = Board(Wire())
    board.begin([walked()])
    board.tick()
    board.begin([])
    board.tick()
    assert all(
        len(source.data["l1"]) == 0 for source in (board.sources[0].points, board.sources[0].paths)
    )
    assert board.point.disabled
    second = walked(points=7)
    board.begin([second])
    board.tick()
    assert len(board.sources[0].points.data["l1"]) == 7


def test_more_runs_than_were_built_for_get_pictures_too():
    board, runs = Board(Wire()), [walked(points=4) for _ in range(4)]
    board.begin(runs)
    board.tick()
    assert len(board.sources) == 4
    assert all(len(sources.points.data["l1"]) == 4 for sources in board.sources)


def test_more_runs_are_put_into_a_figure_at_once():
    """For each change of its list of glyphs the page would build the figure again."""
    board, runs = Board(Wire()), [walked(points=3) for _ in range(20)]
    plots = [plot for picture in board.pictures for plot in picture.figures]
    changes = []
    for plot in plots:
        plot.on_change("renderers", lambda name, old, new: changes.append(len(new) - len(old)))
    board.begin(runs)
    assert len(changes) == len(plots)
    assert min(changes) >= 18


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


def test_every_picture_says_in_words_what_it_shows():
    run, board = walked(upto=5), Board(Wire())
    assert all("Empty" in board._captions[picture.name].text for picture in board.pictures)
    board.begin([run])
    board.tick()
    board.say()
    told = {picture.name: board._captions[picture.name].text for picture in board.pictures}
    assert "largest coefficient" in told["paths"]
    assert "least test error" in told["error"]
    assert "active features" in told["active"]
    assert "true relative gap" in told["gap"]
    assert "κ/n" not in told["gap"]
    rows = walked("sfw_rows", points=3, max_steps=10)
    assert f"κ/n = {rows.walk.notes['kappa_share']:.3f}" in pictured(board, Gaps).describe(rows)
    board.tabulate()
    assert board.table.object.count("<tr>") == run.walk.reached + 1


def test_the_race_says_what_a_test_error_costs():
    runs, board = [walked("fw"), walked("sfw", sampling="2%")], Board(Wire())
    board.begin(runs)
    board.tick()
    board.say()
    for run, sources in zip(runs, board.sources, strict=True):
        shown, points = sources.points.data, run.walk.points
        assert shown["least_error"] == np.minimum.accumulate(points["test_error"]).tolist()
        assert shown["entries"] == points["entries"].tolist()
    shared = max(run.walk.points["test_error"].min() for run in runs)
    fw, sfw = (
        points["entries"][points["test_error"] <= shared].min()
        for points in (run.walk.points for run in runs)
    )
    share = f"1/{fw / sfw:,.0f}" if fw >= 10 * sfw else f"{100 * sfw / fw:.0f} %"
    title = pictured(board, Race).figures[0].title
    assert title.text == f"sfw: test error {shared:.3g} at {share} of the cost of fw"
    assert "matrix entries" in board._captions["race"].text


@pytest.mark.parametrize("case", ["one run", "not over", "a library", "nothing held out"])
def test_a_race_of_less_than_two_has_no_finding(case):
    runs = [walked(points=5), walked("sklearn" if case == "a library" else "cd", points=3)]
    if case == "one run":
        del runs[1]
    if case == "not over":
        runs[1] = walked("fw", upto=0)
    if case == "nothing held out":
        runs[1].walk.points["test_error"] = np.nan
    race = Race(Range1d(0, 1), Wire())
    assert race.finding(runs) == ""
    assert all(bool(race.describe(run)) == (run.walk.reached > 0) for run in runs)


def test_the_stopping_line_is_at_the_tolerance():
    board = Board(Wire())
    board.begin([walked(tol=0.03, points=3)])
    gaps = pictured(board, Gaps)
    assert [(level.visible, level.location) for level in gaps._levels] == [
        (True, 0.03),
        (False, None),
    ] or gaps._levels[0].location == 0.03


def test_pictures_are_linked_by_one_range_and_marked_by_one_cursor():
    board = Board(Wire())
    over_l1 = [picture for picture in board.pictures if picture.x == "l1"]
    assert len(over_l1) == 3
    assert {id(plot.x_range) for picture in over_l1 for plot in picture.figures} == {
        id(board._l1_range)
    }
    assert [type(picture) for picture in board.pictures] == list(LIVE)
    assert all(len(picture.cursors) == len(picture.figures) for picture in board.pictures)


class Shares(Picture):
    """The share of active features, over the l1 norm: a picture as it would be a file."""

    name = "shares"
    title = "Active features again"
    y_label = "features"
    legend = "Line: what is active."

    def draw(self, plot, sources, line, colour):
        self.line(plot, sources.points, "l1", "nnz", **line)

    def describe(self, run):
        return f"{run.walk.reached} points" if run.walk else ""


def test_a_live_picture_is_a_class_and_a_name(monkeypatch):
    monkeypatch.setattr("app.board.LIVE", (*LIVE, Shares))
    run, board = walked(points=5), Board(Wire())
    board.begin([run])
    board.tick()
    board.say()
    picture = pictured(board, Shares)
    drawn = [r for r in picture.figures[0].renderers if r.data_source is board.sources[0].points]
    assert drawn[0].data_source.data["nnz"] == run.walk.points["nnz"].tolist()
    assert drawn[0].glyph.line_color == RUN_COLOURS[0]
    assert "<b>sfw</b>: 5 points. " in board._captions["shares"].text
    assert picture.figures[0] in [pane.object for pane in board.view.select(pn.pane.Bokeh)]


def test_the_log_figure_is_made_when_asked_for_with_all_runs():
    picture = ActiveFeatures(Range1d(0, 1), Wire())
    from app.live.sources import RunSources

    picture.add_runs(0, [RunSources(Wire())])
    picture.show_log(True)
    linear, log = picture.figures
    assert (linear.visible, log.visible) == (False, True)
    assert len(log.renderers) == len(linear.renderers)
    picture.add_runs(1, [RunSources(Wire())])
    assert len(log.renderers) == len(linear.renderers)
    picture.show_log(False)
    assert (linear.visible, log.visible, len(picture.figures)) == (True, False, 2)
