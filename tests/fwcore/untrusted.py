"""Files that nobody should trust, for tests: archives, arrays and tables made by hand."""

import io
import struct
import zipfile

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
