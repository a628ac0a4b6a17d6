"""Untrusted files: bombs, lies and garbage. Each gives a clear error, soon, and for little
memory.
"""

import bz2
import gzip
import io
import lzma
import struct
import sys
import time
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.io
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fwcore import DatasetError
from fwcore.datasets import UPLOAD, ParseOptions, parse_upload
from fwcore.datasets.parsing.guarded import Guard
from fwcore.datasets.parsing.streams import Source

SMALL = UPLOAD.__class__(
    bytes=1 << 24, rows=1000, columns=1000, entries=10_000, memory=1 << 24, line=1 << 20
)


def zipped(**members):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/"), content)
    return target.getvalue()


def npy(header, body=b""):
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + body


def parquet(table, **options):
    target = io.BytesIO()
    pa.parquet.write_table(table, target, **options)
    return target.getvalue()


def mat(compress=False, **variables):
    target = io.BytesIO()
    scipy.io.savemat(target, variables, do_compression=compress)
    return target.getvalue()


def nested_cells(depth):
    cell = np.empty((1, 1), dtype=object)
    cell[0, 0] = 1.0
    for _ in range(depth):
        outer = np.empty((1, 1), dtype=object)
        outer[0, 0] = cell
        cell = outer
    return cell


def many_xz_blocks():
    """A head that asks for half a gigabyte of memory."""
    return lzma.compress(b"a,b\n1,2\n", filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 512 << 20}])


BOMBS = {
    "index.svm": lambda: b"1 1:1 1000000000000:1\n",
    "huge_index.svm": lambda: b"1 1:1 99999999999999999999999:1\n",
    "index.vw": lambda: b"1 |f 1000000000000:1\n",
    "zeros.csv.gz": lambda: gzip.compress(b"0" * (100 << 20)),
    "rows.svm.bz2": lambda: bz2.compress(b"1 1:1\n" * (1 << 20)),
    "rows.csv.xz": lambda: lzma.compress(b"1,2\n" * (20 << 20), preset=0),
    "memory.csv.xz": many_xz_blocks,
    "twice.csv.gz": lambda: gzip.compress(gzip.compress(b"0" * (100 << 20))),
    "columns.csv": lambda: b",".join(b"c%d" % i for i in range(3_000_000)) + b"\n",
    "columns.tsv": lambda: b"1\t" * 3_000_000 + b"1\n",
    "columns.arff": lambda: b"@relation r\n" + b"@attribute a real\n" * 2_100_000 + b"@data\n1\n",
    "line.csv": lambda: b"1" * (70 << 20),
    "line.svm": lambda: b"1 " * (35 << 20),
    "quote.csv": lambda: b'a,b\n"' + b"1,2\n" * (1 << 20),
    "long_text.parquet": lambda: parquet(
        pa.table(
            {
                "a": pa.DictionaryArray.from_arrays(np.zeros(100_000, np.int32), ["x" * 100_000]),
                "y": range(100_000),
            }
        )
    ),
    "rows.parquet": lambda: parquet(
        pa.table({"a": np.zeros(6_000_000), "y": np.zeros(6_000_000)}), compression="zstd"
    ),
    "columns.parquet": lambda: parquet(
        pa.table({f"c{i}": np.zeros(20_000) for i in range(3000)}), compression="zstd"
    ),
    "objects.npz": lambda: zipped(
        **{
            "X.npy": npy(
                "{'descr': '|O', 'fortran_order': False, 'shape': (3, 3), }", b"cos\nsystem\n"
            )
        }
    ),
    "claims.npz": lambda: zipped(
        **{
            "X.npy": npy(
                "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }", b"0" * 80
            )
        }
    ),
    "negative.npz": lambda: zipped(
        **{"X.npy": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -8), }", b"0" * 80)}
    ),
    "header.npz": lambda: zipped(**{"X.npy": npy("(" * 9_000)}),
    "evaluated.npz": lambda: zipped(**{"X.npy": npy("__import__('os').abort()")}),
    "zeros.npz": lambda: zipped(
        **{
            "X.npy": npy(
                "{'descr': '<f8', 'fortran_order': False, 'shape': (500, 30000), }",
                bytes(120 << 20),
            )
        }
    ),
    "slip.npz": lambda: zipped(**{"..__..__etc__passwd.npy": b"x", "y.npy": b"y"}),
    "members.npz": lambda: zipped(**{f"a{i}.npy": b"" for i in range(5000)}),
    "sparse.npz": lambda: sparse_npz(np.array([0, 10**9]), np.array([1, 10**12])),
    "out_of_range.npz": lambda: sparse_npz(np.array([0, 2**40]), np.array([2, 5])),
    "zeros.mat": lambda: mat(compress=True, X=np.zeros((500, 30_000)), y=np.zeros(500)),
    "cells.mat": lambda: mat(X=nested_cells(60)),
    "claims.mat": lambda: mat(X=np.ones((10, 10)), y=np.ones(10)).replace(
        struct.pack("<ii", 10, 10), struct.pack("<ii", 1 << 30, 1 << 30)
    ),
    "..\\..\\up.csv": lambda: b"a\n",
}


def sparse_npz(indices, shape):
    target = io.BytesIO()
    np.savez(
        target,
        data=np.ones(2),
        indices=indices,
        indptr=np.array([0, 1, 2]),
        shape=shape,
        format=b"csr",
        y=np.ones(2),
    )
    return target.getvalue()


@pytest.fixture(scope="module")
def guard():
    """A reader of its own, so that its memory can be measured."""
    guard = Guard()
    guard.warm()
    yield guard
    guard.close()


def forget_peak(guard):
    """Let `peak` begin again."""
    with open(f"/proc/{guard._process.pid}/clear_refs", "w") as file:
        file.write("5")


def peak(guard):
    """Most memory that its process has had, in bytes."""
    with open(f"/proc/{guard._process.pid}/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="memory of another process is told by /proc"
)
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_soon_and_for_little_memory(name, guard):
    content = BOMBS[name]()
    guard.warm()
    forget_peak(guard)
    before, begun = peak(guard), time.monotonic()
    with pytest.raises(DatasetError, match=r"\S") as refused:
        guard.read(Source(name, content=content), ParseOptions(), UPLOAD)
    seconds = time.monotonic() - begun
    assert "not read within" not in str(refused.value)
    # Two seconds on a machine that does nothing else; a hang is a hang on any.
    assert seconds < 10
    # Its bytes come through a pipe, which takes a second copy.
    assert peak(guard) - before < (200 << 20) + 2 * len(content)
    print(f"{name}: {seconds:.2f} s, {(peak(guard) - before) >> 20} MB over; {refused.value}")


def test_what_is_good_is_read_in_the_other_process():
    parsed = parse_upload("my file.csv", b"a,b\n1,2\n3,5\n")
    assert parsed.X.tolist() == [[1.0], [3.0]]
    assert parsed.y.tolist() == [2.0, 5.0]
    sparse = parse_upload("x.svm", b"1 1:2\n3 2:1\n")
    assert scipy.sparse.issparse(sparse.X)


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("a.csv", b"1" * ((1 << 24) + 1), "bytes"),
        ("a.csv", b"a,y\n" + b"1,2\n" * 1001, "rows"),
        ("a.csv", b"1," * 1001 + b"1\n", "columns"),
        ("a.csv", b"1," * 99 + b"1\n" + (b"1," * 99 + b"1\n") * 100, "entries"),
        ("a.svm", b"1 1:1\n" * 1001, "rows"),
        ("a.svm", b"1 1001:1\n", "columns"),
        ("a.svm", (b"1 " + b" ".join(b"%d:1" % j for j in range(1, 900)) + b"\n") * 12, "entries"),
        ("a.vw", b"1 |f " + b" ".join(b"w%d" % j for j in range(1001)), "columns"),
        (
            "a.npz",
            zipped(
                **{
                    "X.npy": npy(
                        "{'descr': '|u1', 'fortran_order': False, 'shape': (1001, 2), }",
                        bytes(2002),
                    )
                }
            ),
            "rows",
        ),
        ("a.mat", mat(X=np.ones((2, 1001)), y=np.ones(2)), "columns"),
        ("a.parquet", parquet(pa.table({"a": np.ones(1001), "y": np.ones(1001)})), "rows"),
        (
            "a.arff",
            b"@relation r\n@attribute a real\n@attribute y real\n@data\n" + b"1,2\n" * 1001,
            "rows",
        ),
    ],
)
def test_each_limit_is_told(name, content, what):
    with pytest.raises(DatasetError, match=rf"{name}: [\d,]+ {what}, where at most"):
        parse_upload(name, content, SMALL)


def test_a_reader_that_dies_is_replaced(guard):
    pid = guard._process.pid
    guard._process.kill()
    guard._process.wait()
    assert (
        guard.read(Source("a.csv", content=b"a,b\n1,2\n3,5\n"), ParseOptions(), UPLOAD).report.rows
        == 2
    )
    assert guard._process.pid != pid


def test_an_answer_that_nobody_waited_for_is_not_taken_for_another(guard):
    guard.warm()

    def interrupted(seconds):
        raise KeyboardInterrupt

    pipe = guard._pipe

    class Interrupting:
        send, close = pipe.send, pipe.close
        poll = staticmethod(interrupted)

    guard._pipe = Interrupting()
    with pytest.raises(KeyboardInterrupt):
        guard.read(Source("first.csv", content=b"a,b\n1,2\n3,5\n4,4\n"), ParseOptions(), UPLOAD)
    assert (
        guard.read(
            Source("second.csv", content=b"a,b\n1,2\n3,5\n"), ParseOptions(), UPLOAD
        ).report.name
        == "second.csv"
    )


def test_a_reader_that_takes_too_long_is_ended():
    guard = Guard(seconds=0.001)
    content = b"a,b\n" + b"1,2\n" * 500_000
    with pytest.raises(DatasetError, match="not read within"):
        guard.read(Source("a.csv", content=content), ParseOptions(), UPLOAD)
    assert guard._process is None


# Mutated files: what must never happen is another exception than ours, or a hang.

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
