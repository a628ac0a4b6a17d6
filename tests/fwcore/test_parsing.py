"""Each format: what is read, what is reported, what is refused."""

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
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from fwcore import DatasetError, ParameterError
from fwcore.datasets import ParseOptions, parse_file, stages
from fwcore.datasets.parsing import FORMATS, OWN, Source, read_source

TABLE = "a,b,y\n1,2.5,3\n4,5,6\n7,-8e-1,9\n"


def parsed(name, content, **options):
    content = content.encode() if isinstance(content, str) else content
    return read_source(Source(name, content=content), None, ParseOptions(**options), OWN)


def npz(**arrays):
    target = io.BytesIO()
    np.savez(target, **arrays)
    return target.getvalue()


def mat(**variables):
    target = io.BytesIO()
    scipy.io.savemat(target, variables, do_compression=True)
    return target.getvalue()


def parquet(**columns):
    target = io.BytesIO()
    pa.parquet.write_table(pa.table(columns), target)
    return target.getvalue()


X = np.array([[1.0, 2.5], [4.0, 5.0], [7.0, -0.8]])
Y = np.array([3.0, 6.0, 9.0])
ARFF = (
    "% about\n@relation r\n@attribute a real\n@attribute 'b b' numeric\n@attribute y "
    "integer\n@data\n"
    "1,2.5,3\n4,5,6\n% more\n7,-0.8,9\n"
)
SVM = "3 1:1 2:2.5 # first\n6 1:4 2:5\n9 1:7 2:-0.8\n"
SAME = {
    "t.csv": TABLE,
    "t.tsv": TABLE.replace(",", "\t"),
    "semicolons.csv": TABLE.replace(",", ";"),
    "spaces.data": TABLE.replace(",", " "),
    "trailing.data": TABLE.partition("\n")[2].replace(",", " ").replace("\n", " \n"),
    "no_header.csv": TABLE.partition("\n")[2],
    "decimal_comma.csv": TABLE.replace(",", ";").replace(".", ","),
    "windows.csv": TABLE.replace("\n", "\r\n"),
    "marked.csv": b"\xef\xbb\xbf" + TABLE.encode(),
    "blank_line.data": "\n" + TABLE.partition("\n")[2].replace(",", " "),
    "t.csv.gz": gzip.compress(TABLE.encode()),
    "t.csv.bz2": bz2.compress(TABLE.encode()),
    "t.csv.xz": lzma.compress(TABLE.encode()),
    "two_streams.csv.xz": lzma.compress(TABLE[:11].encode()) + lzma.compress(TABLE[11:].encode()),
    "t.arff": ARFF,
    "t.arff.gz": gzip.compress(ARFF.encode()),
    "t.svm": SVM,
    "t.svm.xz": lzma.compress(SVM.encode()),
    "like_libsvm.txt": SVM,
    "t.vw": "3 |f 1:1 2:2.5\n6 'tag|f 1:4 2:5\n9 1.0 |f 1:7 2:-0.8\n",
    "words.vw": "3 |f a:1 b:2.5\n6 |f b:5 a:4\n9 |f a:7 b:-0.8\n",
    "t.npz": npz(X=X, y=Y),
    "one.npz": npz(data=np.column_stack([X, Y])),
    "t.mat": mat(X=X, y=Y),
    "sparse.mat": mat(dtm=scipy.sparse.csc_matrix(X), classid=Y, other={"cell": 1}),
    "t.parquet": parquet(a=X[:, 0], b=X[:, 1], y=Y),
}


@pytest.mark.parametrize("name", SAME)
def test_every_way_to_write_a_table_reads_the_same(name):
    got = parsed(name, SAME[name])
    dense = got.X.toarray() if scipy.sparse.issparse(got.X) else got.X
    np.testing.assert_array_equal(dense, X)
    np.testing.assert_array_equal(got.y, Y)
    assert (got.report.rows, got.report.columns, got.report.nonzeros) == (3, 2, 6)
    assert got.report.task == "regression"
    assert len(got.names) == 2


def test_every_format_is_among_them():
    endings = {ending for form in FORMATS.values() for ending in form.endings}
    tried = {f".{part}" for name in SAME for part in name.split(".")[1:]}
    assert endings - tried == {".libsvm", ".svmlight", ".dat", ".pq"}


def test_the_target_is_chosen_by_name():
    got = parsed("t.csv", TABLE, target="a")
    assert got.y.tolist() == [1.0, 4.0, 7.0]
    assert got.names == ["b", "y"]
    assert got.report.target == "a"
    assert parsed("t.mat", mat(X=X, y=Y, z=-Y), target="z").y.tolist() == [-3.0, -6.0, -9.0]
    assert parsed("t.npz", npz(X=X, A=2 * X, y=Y), matrix="A").X[0, 0] == 2.0


HOLES = "a,b,s,y\n1,,M,1\n2,4,F,2\n3,6,,3\n5,7,F,\n"


def test_missing_values_are_refused_unless_the_user_chooses():
    with pytest.raises(DatasetError, match=r"3 values are missing in columns 'b', 's', 'y'"):
        parsed("t.csv", HOLES, categorical="one-hot")
    dropped = parsed("t.csv", HOLES, categorical="one-hot", missing="drop")
    assert (dropped.report.rows, dropped.report.missing, dropped.report.dropped_rows) == (1, 3, 3)
    assert dropped.y.tolist() == [2.0]
    filled = parsed("t.csv", HOLES, categorical="one-hot", missing="mean")
    assert (filled.report.rows, filled.report.imputed, filled.report.dropped_rows) == (3, 1, 1)
    assert filled.names == ["a", "b", "s=F", "s=M", "s=(missing)"]
    np.testing.assert_array_equal(filled.X, [[1, 5, 0, 1, 0], [2, 4, 1, 0, 0], [3, 6, 0, 0, 1]])
    assert filled.report.encoded == {"s": ("F", "M")}


def test_missing_values_in_arrays():
    holed = X.copy()
    holed[0, 1] = np.nan
    with pytest.raises(DatasetError, match="1 values are missing in column 'x2'"):
        parsed("t.npz", npz(X=holed, y=Y))
    assert parsed("t.npz", npz(X=holed, y=Y), missing="mean").X[0, 1] == pytest.approx(
        (5 - 0.8) / 2
    )
    assert parsed("t.npz", npz(X=holed, y=Y), missing="drop").y.tolist() == [6.0, 9.0]


def test_text_is_refused_encoded_or_dropped():
    table = "s,x,y\nM,1,2\nF,2,3\nI,3,5\n"
    with pytest.raises(DatasetError, match="text in column 's'"):
        parsed("t.csv", table)
    encoded = parsed("t.csv", table, categorical="one-hot")
    assert encoded.names == ["s=F", "s=I", "s=M", "x"]
    np.testing.assert_array_equal(encoded.X[:, :3], [[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    dropped = parsed("t.csv", table, categorical="drop")
    assert dropped.names == ["x"]
    assert dropped.report.dropped_columns == ("s",)


@pytest.mark.parametrize(
    ("labels", "options", "signs"),
    [
        ("0 1 0", {}, [-1, 1, -1]),
        ("1 2 1", {}, [-1, 1, -1]),
        ("-1 +1 -1", {}, [-1, 1, -1]),
        ("no yes no", {}, [-1, 1, -1]),
        ("no yes no", {"positive": "no"}, [1, -1, 1]),
        ("3 7 9", {"positive": "7"}, [-1, 1, -1]),
        ("a b c", {"positive": "c"}, [-1, -1, 1]),
        ("a b c", {"positive": "c, a"}, [1, -1, 1]),
        ("3 7 9", {"positive": "3,9"}, [1, -1, 1]),
        ("3 8 3", {"task": "classification"}, [-1, 1, -1]),
    ],
)
def test_classes_become_signs(labels, options, signs):
    text = "x,y\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels.split()))
    got = parsed("t.csv", text, **options)
    assert got.y.tolist() == signs
    assert got.report.task == "classification"
    assert set(got.report.classes.values()) == {-1, 1}


def test_labels_are_numbers_if_a_regression_is_asked_for():
    assert parsed("t.csv", "x,y\n1,0\n2,1\n3,0\n", task="regression").y.tolist() == [0, 1, 0]


def test_constant_columns_are_counted():
    assert parsed("t.csv", "a,b,y\n1,2,3\n1,3,4\n").report.constant == 1
    assert parsed("t.svm", "1 1:1 5:2\n2 1:2 5:1\n").report.constant == 3


def test_sparse_text_may_be_wider_than_it_shows():
    assert parsed("t.svm", SVM, columns=9).X.shape == (3, 9)
    assert parsed("t.vw", SAME["t.vw"], columns=9).X.shape == (3, 9)
    with pytest.raises(DatasetError, match="column 2 of 1"):
        parsed("t.svm", SVM, columns=1)
    # Counted from 0 where a 0 occurs.
    assert parsed("t.svm", "1 0:5 2:1\n2 1:1\n").X.toarray()[0].tolist() == [5.0, 0.0, 1.0]


def test_the_words_of_vowpal_wabbit():
    got = parsed("t.vw", "1 2.0 'a|n x:2 y |o x:.5\n-1 |n y:3\n")
    assert list(got.names) == ["n^x", "n^y", "o^x"]
    np.testing.assert_array_equal(got.X.toarray(), [[2, 1, 0.5], [0, 3, 0]])
    assert got.report.warnings == ("Importance weights were left aside.",)


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ("2 10 2", {"2": -1, "10": 1}),
        ("1234567 1234568 1234567", {"1234567": -1, "1234568": 1}),
        ("0.5 1.5 0.5", {"0.5": -1, "1.5": 1}),
    ],
)
def test_classes_that_are_numbers_keep_their_digits_and_their_order(labels, classes):
    text = "x,y\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels.split()))
    assert parsed("t.csv", text, task="classification").report.classes == classes
    assert parsed("t.npz", npz(X=X, y=[b"ham", b"spam", b"ham"])).report.classes == {
        "ham": -1,
        "spam": 1,
    }


def test_names_are_stripped_and_made_different():
    got = parsed("t.csv", "a, b,b , y\n1,2,,4\n,3,5,6\n2,2,2,2\n", target="y", missing="mean")
    assert got.names == ["a", "b (1)", "b (2)"]
    assert got.report.missing == 2
    texts = parsed("t.csv", "f,f,y\np,q,1\nr,s,5\n", categorical="one-hot")
    assert texts.names == ["f (1)=p", "f (1)=r", "f (2)=q", "f (2)=s"]


def test_packed_text_that_looks_like_libsvm():
    assert parsed("t.txt.gz", gzip.compress(SVM.encode())).X.shape == (3, 2)


def test_tags_of_vowpal_wabbit_may_touch_the_bar():
    got = parsed("t.vw", "1 zebra|f a:1\n-1 2 'b|f a:2\n1 0.5 c|f a:3\n")
    assert got.X.toarray().ravel().tolist() == [1.0, 2.0, 3.0]
    assert got.report.warnings


def test_other_letters_in_arff():
    text = (
        "@relation r\n@attribute 'größe' real\n@attribute s {café,thé}\n@attribute y real\n"
        "@data\n1,café,2\n2,thé,3\n3,thé,5\n"
    )
    got = parsed("t.arff", text, categorical="one-hot")
    assert got.report.encoded == {"s": ("café", "thé")}


REFUSED = {
    "complex.mat": (mat(X=X + 1j, y=Y), "complex"),
    "ragged.csv": ("a,b,y\n1,2,3\n4,5\n", "Expected 3 columns"),
    "late_text.csv": ("a,y\n" + "1,2\n" * 200_000 + "oops,2\n", "oops"),
    "empty.csv": ("", "empty"),
    "only_header.csv": ("a,b,y\n", "no rows"),
    "only_y.csv": ("y\n1\n2\n", "no column of numbers"),
    "infinite.csv": ("a,y\n1,2\ninf,3\n", "infinite"),
    "classes.csv": ("a,y\n1,p\n2,q\n3,r\n", "3 classes: p, q, r"),
    "one_class.csv": ("a,y\n1,p\n2,p\n", "one class only: p"),
    "binary.csv": (b"\x00\x01\x02" * 100, "."),
    "latin.csv": ("a,y\n\xe9,2\n\xe8,3\n".encode("latin-1"), "."),
    "not_packed.csv.gz": (TABLE, "cannot be unpacked"),
    "cut.csv.gz": (gzip.compress(TABLE.encode() * 50)[:-20], "cannot be unpacked"),
    "cut.csv.xz": (lzma.compress(TABLE.encode() * 50)[:-20], "cannot be unpacked"),
    "unknown.xlsx": (TABLE, "not a format"),
    "packed.parquet.gz": (gzip.compress(SAME["t.parquet"]), "not a format"),
    "unsorted.svm": ("1 2:1 1:1\n", "sorted"),
    "words.svm": ("1 a:b\n", "not readable as LIBSVM"),
    "nothing.svm": ("1\n2\n", "no values"),
    "comments.svm": ("# a\n#b\n", "no rows"),
    "nan.svm": ("1 1:nan\n", "not finite"),
    "no_label.vw": ("|f a:1\n", "without a label"),
    "no_value.vw": ("1 |f a:b\n", "not a number"),
    "no_data.arff": ("@relation r\n@attribute a real\n", "no @data"),
    "dates.arff": (
        "@relation r\n@attribute d date yyyy\n@attribute y real\n@data\n2000,1\n",
        "dates in column 'd'",
    ),
    "sparse.arff": (
        "@relation r\n@attribute a real\n@attribute y real\n@data\n{0 1, 1 2}\n",
        "ARFF",
    ),
    "v73.mat": (b"MATLAB 7.3" + b" " * 502 + b"\x89HDF\r\n" + b"x" * 600, "7.3"),
    "cells.mat": (mat(c=np.array([1, "a"], dtype=object), s={"x": X}), "is not clear"),
    "long.npz": (npz(X=X, y=np.ones(4)), "4 values, the matrix 3 rows"),
    "objects.npz": (npz(X=X, y=np.array([1, "a", None], dtype=object)), "Python objects"),
    "two.npz": (npz(P=X, Q=X), "is not clear"),
    "nested.parquet": (parquet(a=[[1.0], [2.0]], y=[1.0, 2.0]), "nested"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_broken_is_refused_by_name(name):
    content, why = REFUSED[name]
    with pytest.raises(DatasetError, match=f"(?s){name}: .*{why}"):
        parsed(name, content)


@pytest.mark.parametrize(
    "options",
    [
        {"positive": "a", "task": "regression"},
        {"missing": "guess"},
        {"task": "ranking"},
        {"categorical": "hash"},
        {"decimal": "'"},
        {"delimiter": "ab"},
    ],
)
def test_options_are_checked(options):
    with pytest.raises(ParameterError, match=next(iter(options))):
        ParseOptions(**options)


def test_no_file():
    with pytest.raises(DatasetError, match=r"nowhere\.csv: there is no such file"):
        parse_file("nowhere.csv")


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 40),
    st.integers(1, 12),
    st.floats(0.05, 1.0),
    st.sampled_from([1 << 6, 1 << 10, 1 << 20]),
)
@settings(max_examples=40, deadline=None)
def test_libsvm_text_reads_as_scikit_learn_reads_it(seed, rows, columns, density, chunk):
    random = np.random.default_rng(seed)
    made = scipy.sparse.random_array((rows, columns), density=density, rng=random, format="lil")
    made[0, 0] = 1.5
    target = io.BytesIO()
    dump_svmlight_file(made.tocsr(), random.standard_normal(rows), target, zero_based=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fwcore.datasets.parsing.streams.CHUNK", chunk)
        got = parsed("t.svm", target.getvalue(), task="regression")
    target.seek(0)
    wanted, labels = load_svmlight_file(target)
    np.testing.assert_array_equal(got.X.toarray(), wanted.toarray())
    np.testing.assert_array_equal(got.y, labels)


@given(
    st.lists(
        st.lists(st.floats(-1e6, 1e6, width=32), min_size=3, max_size=3), min_size=2, max_size=30
    ),
    st.sampled_from([",", ";", "\t", "|"]),
)
@settings(max_examples=60, deadline=None)
def test_delimited_numbers_survive(rows, delimiter):
    text = f"a{delimiter}b{delimiter}y\n" + "".join(
        delimiter.join(repr(v) for v in row) + "\n" for row in rows
    )
    got = parsed("t.csv", text, task="regression")
    np.testing.assert_array_equal(np.column_stack([got.X, got.y]), rows)


def test_what_a_listener_raises_is_no_fault_of_the_file(tmp_path):
    file, told = tmp_path / "data.svm", []
    file.write_text("1 1:2.5 2:1\n-1 2:3\n" * 50)

    class EnoughError(Exception):
        pass

    def listen(text, done, total):
        told.append((text, done / total))
        raise EnoughError

    with pytest.raises(EnoughError), stages.listening(listen):
        parse_file(file)
    assert told[0][0] == "Reading the data"
    with stages.listening(lambda *news: told.append(news)):
        parse_file(file)
        parse_file(file)
    shares = [done for _, done, _ in told[1:]]
    assert shares == sorted(shares)
    assert shares[-1] == 350
