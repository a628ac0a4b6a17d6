"""Downloads, from a server of our own that misbehaves on request."""

import contextlib
import hashlib
import io
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pooch
import pytest

from fwcore import DatasetError, cache
from fwcore.datasets import fetching
from fwcore.datasets.fetching import SourceFile, fetch, opened

CONTENT = bytes(range(256)) * 2000
SHA = hashlib.sha256(CONTENT).hexdigest()


def begins(asked):
    """Where a request for the rest of a file begins."""
    return int(asked.removeprefix("bytes=").removesuffix("-"))


class Handler(BaseHTTPRequestHandler):
    """What a path means: see the methods' names."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        self.server.asked.append((self.path, self.headers.get("Range")))
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            getattr(self, self.path[1:].replace(".", "_"), self.missing)()

    def send(self, body, length=None, status=200, **headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def missing(self):
        self.send(b"no", status=404)

    def good(self):
        self.send(CONTENT)

    def corrupted(self):
        self.send(CONTENT[:-1] + b"x")

    def truncated(self):
        self.send(CONTENT[:1000], length=len(CONTENT))
        self.close_connection = True

    def redirecting(self):
        self.send(b"", status=302, Location="/good")

    def slow(self):
        self.server.released.wait(20)
        self.send(CONTENT)

    def breaking(self):
        """Breaks off in the middle the first time, goes on where it is asked to."""
        asked = self.headers.get("Range")
        if asked is None:
            self.send(CONTENT[:200_000], length=len(CONTENT), ETag='"one"')
            self.close_connection = True
        else:
            assert self.headers.get("If-Range") == '"one"'
            begun = begins(asked)
            self.send(
                CONTENT[begun:],
                status=206,
                ETag='"one"',
                Content_Range=f"bytes {begun}-{len(CONTENT) - 1}/{len(CONTENT)}",
            )

    def changing(self):
        """Breaks off in the middle of another file, then has ours, which it sends whole."""
        if self.headers.get("Range") is None:
            self.send(b"old" * 50_000, length=len(CONTENT), ETag='"old"')
            self.close_connection = True
        else:
            self.send(CONTENT, ETag='"new"')

    def description(self):
        self.send(b'{"data_set_description": {"url": "%s/good"}}' % self.server.address.encode())

    def packed(self):
        target = io.BytesIO()
        with tarfile.open(fileobj=target, mode="w:gz") as archive:
            info = tarfile.TarInfo("folder/file.bin")
            info.size = len(CONTENT)
            archive.addfile(info, io.BytesIO(CONTENT))
        self.send(target.getvalue())

    def zipped(self):
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("folder/file.bin", CONTENT)
        self.send(target.getvalue())


@pytest.fixture
def server(monkeypatch, tmp_path):
    monkeypatch.setenv("FWCORE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("FWCORE_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(pooch.core.time, "sleep", lambda seconds: None)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.asked, server.released = [], threading.Event()
        server.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.released.set()
        server.shutdown()
        thread.join()


def file(server, what, **more):
    return SourceFile(f"some/{what}.bin", url=f"{server.address}/{what}", **more)


@pytest.mark.parametrize("what", ["good", "redirecting"])
@pytest.mark.parametrize("known", [None, SHA])
def test_a_file_comes_once_and_its_hash_is_learnt(server, what, known):
    told = []
    wanted = file(server, what, sha256=known)
    path = fetch(wanted, lambda done, total: told.append((done, total)))
    assert path.read_bytes() == CONTENT
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    asked = len(server.asked)
    assert fetch(wanted) == opened(wanted) == path
    assert len(server.asked) == asked
    assert cache.load("hashes", "learnt") == {wanted.path: SHA}


def test_what_breaks_off_goes_on_where_it_was(server):
    assert fetch(file(server, "breaking")).read_bytes() == CONTENT
    first, second = [asked for _, asked in server.asked]
    assert first is None
    # What came last of what was sent may be lost with the connection.
    assert 100_000 <= begins(second) <= 200_000


def test_what_changed_meanwhile_is_fetched_anew(server):
    assert fetch(file(server, "changing")).read_bytes() == CONTENT


def test_a_download_that_is_stopped_goes_on_later(server):
    wanted = file(server, "breaking")

    class StoppedError(Exception):
        pass

    def stop(done, total):
        if done >= 100_000:
            raise StoppedError

    with pytest.raises(StoppedError):
        fetch(wanted, stop)
    assert wanted.local() is None
    assert fetch(wanted).read_bytes() == CONTENT
    assert begins(server.asked[-1][1]) >= 100_000


def test_what_never_comes_whole_is_an_error_and_leaves_no_file(server):
    wanted = file(server, "truncated")
    with pytest.raises(DatasetError, match=r"some/truncated\.bin.*fetched.*Its address.*by hand"):
        fetch(wanted)
    assert wanted.local() is None


def test_what_is_not_what_it_should_be_is_refused(server):
    wanted = file(server, "corrupted", sha256=SHA)
    with pytest.raises(DatasetError, match=r"some/corrupted\.bin.*hash"):
        fetch(wanted)
    assert wanted.local() is None


def test_a_file_that_was_changed_is_noticed(server):
    wanted = file(server, "good")
    fetch(wanted).write_bytes(b"something else")
    with pytest.raises(DatasetError, match="not what it was"):
        opened(wanted)


def test_a_server_that_does_not_answer_is_given_up(server, monkeypatch):
    monkeypatch.setattr(fetching, "_TIMEOUT", (0.2, 0.2))
    with pytest.raises(DatasetError, match=r"some/slow\.bin"):
        fetch(file(server, "slow"))


def test_nobody_there(server):
    wanted = SourceFile("a/b.txt", url="http://127.0.0.1:1/b.txt")
    with pytest.raises(
        DatasetError,
        match=r"a/b\.txt.*connection to 127\.0\.0\.1 failed.*"
        r"http://127\.0\.0\.1:1/b\.txt.*downloads/a/b\.txt",
    ):
        fetch(wanted)


def test_no_address_says_so():
    with pytest.raises(DatasetError, match=r"no/where\.txt has no known address"):
        fetch(SourceFile("no/where.txt"))


@pytest.mark.parametrize("what", ["packed", "zipped"])
def test_a_member_of_an_archive(server, what):
    assert fetch(file(server, what, member="folder/file.bin")).read_bytes() == CONTENT
    with pytest.raises(DatasetError, match="other"):
        fetch(SourceFile("other.bin", url=f"{server.address}/{what}", member="folder/other.bin"))


def test_openml_tells_the_address(server, monkeypatch):
    monkeypatch.setattr(fetching, "_OPENML", f"{server.address}/description?{{}}")
    monkeypatch.setattr(Handler, "description?7", Handler.description, raising=False)
    assert fetch(SourceFile("open.arff", openml=7)).read_bytes() == CONTENT


def test_files_that_are_there_already_are_tried_first(server, monkeypatch, tmp_path):
    own = tmp_path / "own"
    (own / "some").mkdir(parents=True)
    (own / "some" / "good.bin").write_bytes(b"mine")
    monkeypatch.setenv("FWCORE_DATA", str(own))
    assert fetch(file(server, "good")).read_bytes() == b"mine"
    assert server.asked == []


def test_a_proxy_is_asked(server, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.setenv("http_proxy", server.address)
    monkeypatch.setattr(Handler, "ttp://elsewhere_invalid/a_bin", Handler.good, raising=False)
    assert fetch(SourceFile("a.bin", url="http://elsewhere.invalid/a.bin")).read_bytes() == CONTENT
    assert server.asked == [("http://elsewhere.invalid/a.bin", None)]


def test_many_who_ask_at_once_fetch_once(server):
    wanted, came = file(server, "good"), []
    threads = [
        threading.Thread(target=lambda: came.append(fetch(wanted).read_bytes())) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert came == [CONTENT] * 8
    assert len(server.asked) == 1
