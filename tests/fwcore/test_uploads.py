"""Untrusted files: bombs, lies and garbage. Each gives a clear error, soon, and for little
memory.
"""

import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.io
import scipy.sparse
from untrusted import BOMBS, SMALL, mat, npy, parquet, zipped

from fwcore import DatasetError
from fwcore.datasets import UPLOAD, ParseOptions, parse_upload
from fwcore.datasets.parsing.guarded import Guard
from fwcore.datasets.parsing.streams import Source

_A_LITTLE = Source("a.csv", content=b"a,b\n1,2\n3,5\n")


def read_a_little(guard):
    return guard.read(_A_LITTLE, ParseOptions(), UPLOAD)


@pytest.fixture(scope="module")
def guard():
    """A reader of its own, so that its memory can be measured."""
    guard = Guard(most_kept=1 << 40)
    read_a_little(guard)
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
    read_a_little(guard)
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
    assert read_a_little(guard).report.rows == 2
    assert guard._process.pid != pid


def test_a_reader_that_is_warmed_is_waited_for_by_the_first_file_alone():
    guard = Guard()
    guard.warm()
    pid = guard._process.pid
    guard.warm()
    try:
        assert not guard._ready
        assert read_a_little(guard).report.rows == 2
        assert guard._process.pid == pid
    finally:
        guard.close()


def test_a_reader_that_cannot_be_started_is_told_by_the_first_file(monkeypatch):
    def full(*args, **options):
        raise OSError("no more processes")

    monkeypatch.setattr("subprocess.Popen", full)
    guard = Guard()
    guard.warm()
    with pytest.raises(DatasetError, match=r"could not be started \(no more processes\)"):
        read_a_little(guard)


def test_what_was_read_is_given_where_no_other_reader_can_be_started(monkeypatch):
    guard = Guard(most_kept=-1)
    guard._started()
    started = guard._start

    def full():
        guard.close()
        raise DatasetError("no more processes")

    guard._start = full
    assert read_a_little(guard).report.rows == 2
    guard._start = started


def test_an_answer_that_nobody_waited_for_is_not_taken_for_another(guard):
    read_a_little(guard)

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


def test_a_reader_that_holds_on_to_memory_is_replaced():
    guard = Guard(most_kept=-1)
    seen = set()
    try:
        for _ in range(3):
            assert read_a_little(guard).report.rows == 2
            seen.add(guard._process.pid)
    finally:
        guard.close()
    assert len(seen) == 3


def test_a_reader_that_takes_too_long_is_ended():
    guard = Guard(seconds=0.001)
    content = b"a,b\n" + b"1,2\n" * 500_000
    with pytest.raises(DatasetError, match="not read within"):
        guard.read(Source("a.csv", content=content), ParseOptions(), UPLOAD)
    assert guard._process is None
