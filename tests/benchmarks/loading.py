"""What reading costs: LIBSVM text beside scikit-learn's loader, a 100 MB CSV, and the second
opening of a dataset.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from report import Asked, Rows, Tables
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

_MEGABYTE = 1 << 20
# Runs in a process of its own, so that its peak of memory is its own.
_MEASURED = """
import sys, time
from fwcore.datasets import parse_file

def told(what):
    lines = open("/proc/self/status")
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(what))

parse_file(sys.argv[2])
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before, begun = told("VmRSS"), time.perf_counter()
parsed = parse_file(sys.argv[1])
seconds = time.perf_counter() - begun
X = parsed.X
parts = (X,) if hasattr(X, "nbytes") else (X.data, X.indices, X.indptr)
size = sum(part.nbytes for part in parts)
print(seconds, (told("VmHWM") - before) / size)
"""
_OPENED = """
import sys, time
from fwcore import datasets
begun = time.perf_counter()
datasets.load(sys.argv[1])
print(time.perf_counter() - begun)
"""


def _told(script: str, *arguments: str) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
    )
    return [float(word) for word in done.stdout.split()]


def _libsvm(folder: Path) -> dict[str, Any]:
    random = np.random.default_rng(0)
    X = scipy.sparse.random_array((20_000, 50_000), density=1e-2, rng=random, format="csr")
    text = io.BytesIO()
    dump_svmlight_file(X, random.standard_normal(20_000), text, zero_based=False)
    path, small = folder / "large.svm", folder / "small.svm"
    path.write_bytes(text.getvalue())
    small.write_bytes(b"1 1:1\n2 2:1\n")
    begun = time.perf_counter()
    load_svmlight_file(str(path))
    peer = time.perf_counter() - begun
    seconds, memory = _told(_MEASURED, str(path), str(small))
    return {
        "what": f"LIBSVM text, {path.stat().st_size >> 20} MB",
        "s": seconds,
        "over scikit-learn": seconds / peer,
        "memory": memory,
    }


def _csv(folder: Path) -> dict[str, Any]:
    values = np.random.default_rng(0).standard_normal((110_000, 100))
    path, small = folder / "large.csv", folder / "small.csv"
    np.savetxt(
        path,
        values,
        fmt="%.6f",
        delimiter=",",
        header=",".join(f"c{j}" for j in range(100)),
        comments="",
    )
    small.write_text("a,b\n1,2\n2,3\n")
    seconds, memory = _told(_MEASURED, str(path), str(small))
    return {
        "what": f"CSV, {path.stat().st_size >> 20} MB",
        "s": seconds,
        "over scikit-learn": float("nan"),
        "memory": memory,
    }


def measure() -> Rows:
    """Seconds; the ratio to scikit-learn's loader; and the peak of memory over the size of the
    matrix.
    """
    with tempfile.TemporaryDirectory() as folder:
        rows = [_libsvm(Path(folder)), _csv(Path(folder))]
    for name in ("triazines", "synthetic-50000-500", "tfidf-shaped"):
        try:
            first, second = _told(_OPENED, name)[0], _told(_OPENED, name)[0]
        except subprocess.CalledProcessError:
            continue
        rows.append(
            {
                "what": f"{name}, opened again (first {first:.2f} s)",
                "s": second,
                "over scikit-learn": float("nan"),
                "memory": float("nan"),
            }
        )
    return rows


def tables(_: Asked) -> Tables:
    yield "Reading files; memory is the peak over the size of the matrix", measure()
