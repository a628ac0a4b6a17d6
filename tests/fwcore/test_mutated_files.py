"""Mutated files are read or refused: never another exception than ours, nor a hang."""

import bz2
import gzip
import io
import lzma

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.io
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from untrusted import mat, parquet

from fwcore import DatasetError
from fwcore.datasets import ParseOptions, parse_upload

RANDOM = np.random.default_rng(0)
X, Y = RANDOM.normal(size=(12, 4)), RANDOM.normal(size=12)
S = scipy.sparse.csc_array(np.where(X > 0, X, 0.0))


def npz(**arrays):
    target = io.BytesIO()
    np.savez_compressed(target, **arrays)
    return target.getvalue()


def _rows(line):
    return "".join(line(y, x) for y, x in zip(Y, X, strict=True)).encode()


def _table():
    return pa.table({"a": X[:, 0], "b": X[:, 1], "s": ["M", "F"] * 6, "y": Y})


SEEDS = {
    "u.csv": [
        b"a,b,c,d,y\n" + _rows(lambda y, x: ",".join(f"{v:.3f}" for v in [*x, y]) + "\n"),
        b's;w;y\nM;1,5;2\nF;?;3\n"M";1;5\n',
    ],
    "u.svm": [
        _rows(
            lambda y, x: f"{y:.3f} " + " ".join(f"{j + 1}:{v:.3f}" for j, v in enumerate(x)) + "\n"
        )
    ],
    "u.vw": [
        _rows(
            lambda y, x: (
                f"{y:.3f} |f " + " ".join(f"{j + 1}:{v:.3f}" for j, v in enumerate(x)) + "\n"
            )
        ),
        b"1 2.0 'tag|ns a:1 b c:.5 |o d\n-1 |ns a b:2\n",
    ],
    "u.arff": [
        b"@relation r\n@attribute a real\n@attribute s {M,F}\n@attribute y numeric\n@data\n"
        + _rows(lambda y, x: f"{x[0]:.3f},{'MF'[int(y > 0)]},{y:.3f}\n")
    ],
    "u.npz": [
        npz(X=X, y=Y),
        npz(data=S.data, indices=S.indices, indptr=S.indptr, shape=S.shape, format=b"csc", y=Y),
    ],
    "u.mat": [
        mat(X=X, y=Y),
        mat(True, X=X, y=Y),
        mat(True, X=S, y=Y),
        mat(False, X=S, y=Y, z={"a": 1}),
    ],
    "u.parquet": [
        parquet(_table()),
        parquet(_table().drop(["s"]), compression="none", use_dictionary=False),
    ],
    "u.csv.gz": [gzip.compress(b"a,y\n1,2\n3,4\n5,9\n")],
    "u.svm.bz2": [bz2.compress(b"1 1:2 2:3\n2 1:1\n")],
    "u.csv.xz": [lzma.compress(b"a,y\n1,2\n3,4\n5,9\n")],
}
SPLICES = [
    b"\xff" * 4,
    b"\0" * 4,
    b"\x7f\xff\xff\xff",
    b"9" * 12,
    b"1e99",
    b"nan,",
    b"\n\n",
    b":-1 ",
    b"'",
    b'"',
    b"{",
    b"%",
    b"|",
    b"inf",
]


def _changed(data, how, where, what):
    at = round(where * len(data))
    if how == "put":
        return data[:at] + what + data[at + len(what) :]
    if how == "insert":
        return data[:at] + what + data[at:]
    if how == "repeat":
        return data[: at + 30] + data[at:]
    if how == "remove":
        return data[:at] + data[at + len(what) + 1 :]
    return data[:at]


CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["put", "insert", "repeat", "remove", "cut"]),
        st.floats(0, 1),
        st.binary(min_size=1, max_size=4) | st.sampled_from(SPLICES),
    ),
    min_size=1,
    max_size=8,
)
OPTIONS = st.builds(
    ParseOptions,
    missing=st.sampled_from(["refuse", "mean", "drop"]),
    categorical=st.sampled_from(["one-hot", "drop"]),
)


def fuzz(name, number):
    """Feed ``number`` mutated files; how many of them were read."""
    read = 0

    @settings(
        max_examples=number,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[*HealthCheck],
    )
    @given(st.sampled_from(SEEDS[name]), CHANGES, OPTIONS)
    def feed(content, changes, options):
        nonlocal read
        for change in changes:
            content = _changed(content, *change)
        try:
            parsed = parse_upload(name, content, options=options)
        except DatasetError:
            return
        read += 1
        assert parsed.X.shape == (parsed.y.size, len(parsed.names))
        assert np.isfinite(parsed.y).all()
        assert np.isfinite(parsed.X.data if scipy.sparse.issparse(parsed.X) else parsed.X).all()

    feed()
    return read


@pytest.mark.parametrize("name", SEEDS)
def test_mutated_files_are_read_or_refused(name):
    # Of a packed file with check sums hardly a change is read.
    assert fuzz(name, 300) < 300


@pytest.mark.slow
@pytest.mark.parametrize("name", SEEDS)
def test_twenty_thousand_mutated_files_of_each_format(name):
    assert 0 < fuzz(name, 20_000) < 20_000
