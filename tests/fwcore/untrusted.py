"""Files that nobody should trust, for tests: archives, arrays and tables made by hand."""

import bz2
import gzip
import io
import lzma
import struct
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import scipy.io
import scipy.sparse

from fwcore.datasets import UPLOAD

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
