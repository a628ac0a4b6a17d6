"""Every experiment of the papers at the size that was printed: minutes each, some an hour.

What was measured is kept, as by ``fwcore paper``, so that a second run goes on where it ended.
"""

from dataclasses import replace

import pytest

from fwcore.experiments import published

PAPERS = published.papers()
EXPERIMENTS = [
    pytest.param(paper.name, experiment.name, id=f"{paper.name}-{experiment.name}")
    for paper in PAPERS.values()
    for experiment in paper.experiments.values()
    if any(method.solver for method in experiment.methods)
    and any(experiment.name in exhibit.experiments for exhibit in paper.exhibits)
]
OF_THE_MACHINE = ("seconds", "speed-up")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(4 * 3600)]


@pytest.mark.parametrize(("name", "experiment"), EXPERIMENTS)
def test_what_differs_from_the_paper_has_a_reason_on_file(name, experiment):
    paper = PAPERS[name]
    shown = [exhibit for exhibit in paper.exhibits if experiment in exhibit.experiments]
    # Those that are heavy take hours on millions of columns.
    methods = [m.name for m in paper.experiments[experiment].methods if m.solver and not m.heavy]
    outcome = published.reproduce(
        paper, shown, datasets=[experiment], methods=methods, standin=True
    )
    found = outcome.found[experiment]
    if not found:
        pytest.skip(f"absent: {', '.join(outcome.absent[experiment])}")
    walked = outcome.experiments[experiment]
    whole = replace(shown[0], experiments=(experiment,), methods=(), figures=())
    cells = outcome.cells(whole)
    for method in found:
        assert any(cell.ours is not None for cell in cells if cell.method == method), method
    for cell in cells:
        # What is of other data proves nothing.
        assert cell.verdict == "" or not walked.made
        if cell.verdict == "differs" and cell.figure not in OF_THE_MACHINE:
            assert cell.reason, cell
    # What is said of them in words has a verdict.
    said = [] if walked.made else [s.text for s in walked.statements if s.methods <= {*found}]
    assert [claim.text for claim in outcome.claims(whole)] == said
