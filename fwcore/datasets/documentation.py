"""What the catalogue says, in words: for the command line, the page and data/README.md."""

from __future__ import annotations

from typing import Any

from fwcore.datasets import reading
from fwcore.datasets.catalogue import Entry, Layout, read_catalogue
from fwcore.datasets.dataset import kappa_share
from fwcore.datasets.fetching import downloads

_HEAD = """# Datasets

Made from catalogue.toml by `fwcore datasets --markdown`. The first rows need no download; `fwcore
datasets fetch NAME` gets the others, where an address is known. A download resumes where it broke
off and is checked by its hash. Files that you have are found below the folder that `FWCORE_DATA`
names, at the paths given here. What is downloaded, or expensive to compute, is kept in
`FWCORE_CACHE`, by default the user's cache folder.

A generator takes values by name, wherever the name of a dataset stands:
`made:correlated_gaussian:rows=200,columns=5000,rho=0.9`.

Your own file needs no catalogue. It may be CSV or TSV, Parquet, ARFF, LIBSVM, Vowpal Wabbit, MATLAB
up to version 7, or .npz; `fwcore datasets formats` lists the endings.

```sh
fwcore path --data houses.csv --target price --categorical one-hot --missing mean --degree 2
```

```python
from fwcore import datasets

options = datasets.ParseOptions(target="price", categorical="one-hot", missing="mean")
parsed = datasets.parse_file("houses.csv", options)
print(parsed.report)  # rows, columns, non-zeros, what was missing, dropped, encoded
problem = datasets.Dataset.of(parsed, "houses", degree=2).problem(test_fraction=0.2)
```

`datasets.parse_upload(name, bytes)` parses untrusted uploads: limits are enforced before
allocation, and the reader is a process of its own.

"""


def whereabouts(entry: Entry) -> str:
    """Whether it can be loaded at once, and if not what it takes."""
    layout = entry.layout
    if layout is None:
        return "always"
    if not layout.at_hand:
        return "to be fetched" if layout.fetchable else "by hand"
    own = all(
        (path := file.local()) is not None and path.is_relative_to(downloads())
        for file in layout.files
    )
    return "fetched" if own else "FWCORE_DATA"


def facts(entry: Entry) -> list[tuple[str, str]]:
    """All that is known of a dataset, as (label, text); of one at hand also what its files hold."""
    held = (
        f"{entry.test_rows:,} official rows"
        if entry.test_rows
        else f"{entry.test_fraction:.0%} of the rows, at random"
    )
    products = (
        ""
        if entry.degree is None
        else f" (products to degree {entry.degree} of {entry.features:,} features)"
    )
    known = [
        ("name", entry.name),
        ("title", entry.title),
        ("task", entry.task),
        ("rows", f"{entry.rows:,}"),
        ("columns", f"{entry.columns:,}{products}"),
        ("held out for the test error", held if entry.test_fraction else "none"),
        ("relevant columns", "" if entry.relevant is None else f"{entry.relevant:,}"),
        ("from", entry.origin),
        ("here", whereabouts(entry)),
        ("files", "" if entry.layout is None else ", ".join(_paths(entry.layout))),
        ("download", "" if entry.size is None else f"{entry.size:,} bytes"),
        ("cited as", entry.citation),
        ("licence", entry.licence),
    ]
    # What is generated may be large, and has no secrets.
    if reading.at_hand(entry) and not entry.generator:
        found = reading.read(entry)
        known += found.report.lines()[2:] if entry.layout is not None else []
        known.append(kappa_line(found.X))
    return [(label, text) for label, text in known if text]


def kappa_line(X: Any) -> tuple[str, str]:
    """What sampling rows may gain, as (label, text)."""
    return "kappa / rows (Negiar et al. 2020, eq. 34)", f"{kappa_share(X):.3f}"


def _paths(*layouts: Layout) -> list[str]:
    return [*dict.fromkeys(file.path for layout in layouts for file in layout.files)]


def markdown() -> str:
    """data/README.md."""
    lines = [
        "| name | what | task | rows | columns | from | files | cited as | licence |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for entry in sorted(read_catalogue(), key=lambda entry: bool(entry.layouts)):
        files = " ".join(f"`{path}`" for path in _paths(*entry.layouts))
        cells = [
            f"`{entry.name}`",
            entry.title,
            entry.task,
            f"{entry.rows:,}",
            f"{entry.columns:,}",
            entry.origin,
            files,
        ]
        lines.append("| " + " | ".join([*cells, entry.citation, entry.licence]) + " |")
    return _HEAD + "\n".join(lines) + "\n"
