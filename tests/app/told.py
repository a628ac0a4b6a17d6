"""What a page was told, for tests without a browser."""

from fakes import Kept, wait_for

from app.live import LIVE
from app.live.features import TopFeatures
from app.live.sources import RunSources

PICTURES = {picture.name: picture for picture in LIVE}
ALL_SOURCES = set().union(*(picture.sources for picture in LIVE))


def held(messages):
    """State and sources as the browser has them after the messages."""
    state, sources = {}, {}
    for message in messages:
        state |= message["puts"]
        for run, source, columns, replace in message["rows"]:
            if source == "*":
                sources = {key: rows for key, rows in sources.items() if key[0] != run}
            elif replace or (run, source) not in sources:
                sources[run, source] = {name: [*values] for name, values in columns.items()}
            else:
                for name, values in columns.items():
                    sources[run, source][name] += values
    return state, sources


def drained(page):
    """Tick as the page would, until nothing is live."""
    wait_for(lambda: not page.session.live, "the runs to end")
    page.drain.flush(final=True)


def computed(page):
    """Tick until nothing is computed any more."""

    def over():
        page.drain.flush(final=True)
        return not page.feed.busy

    wait_for(over, "the computations")


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
