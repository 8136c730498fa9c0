"""An archive is read in bounded memory, lets nothing lead out of it, and is refused in one line."""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import struct
import tarfile
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.specs.trees import SPEC, SPECS, TREE, lay, paths, refused, tarred, zipped
from wirebook.specs.limits import MAX_TOTAL
from wirebook.specs.problems import InputError
from wirebook.specs.sources import archives
from wirebook.specs.sources.archives import is_archive, read_archive

Make = Callable[[Path, dict[str, bytes]], Path]
KINDS = pytest.mark.parametrize(("make", "name"), [(zipped, "a.jar"), (tarred, "a.tar.gz")])


def peak(call: Callable[[], object]) -> int:
    """The most memory that Python held during a call, in MiB."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1] >> 20
    finally:
        tracemalloc.stop()


def block(name: str, kind: bytes = b"0", size: int = 0, link: str = "") -> bytes:
    """The header of one member of a tar, true or not."""
    member = tarfile.TarInfo(name)
    member.type, member.size, member.linkname = kind, size, link
    return member.tobuf(tarfile.USTAR_FORMAT)


def packed(path: Path, *blocks: bytes) -> Path:
    """A packed tar of these blocks."""
    text = b"".join(part + b"\0" * (-len(part) % 512) for part in blocks)
    path.write_bytes(gzip.compress(text + b"\0" * 1024, 1))
    return path


def test_the_endings_of_archives(tmp_path: Path) -> None:
    for name in ("a.jar", "a.zip", "a.whl", "A.JAR"):
        assert paths(zipped(tmp_path / name, TREE)) == SPECS
    for name in ("b.tar.gz", "b.tgz", "b.TGZ"):
        assert paths(tarred(tmp_path / name, TREE)) == SPECS
    assert [text.path for text in read_archive(tmp_path / "b.tgz")] == SPECS
    assert paths(zipped(tmp_path / "é @x.zip", TREE), tests=True) == sorted(
        [*SPECS, "messages/examples/FooRequest.json", "src/test/resources/message/TestRequest.json"]
    )


def test_forms_of_archives(tmp_path: Path) -> None:
    jar = tmp_path / "a.jar"
    with zipfile.ZipFile(jar, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("common/", b"")
        archive.writestr("./common//message/FooRequest.json", SPEC)
        archive.writestr("inner.jar", zipped(tmp_path / "inner.jar", TREE).read_bytes())
        archive.comment = b"words"
    jar.write_bytes(b"#!/bin/sh\n" + jar.read_bytes())
    assert paths(jar) == ["common/message/FooRequest.json"]
    long = "a/" * 60 + "é" * 60 + "/message/FooRequest.json"
    for number, form in enumerate((tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)):
        tgz = tmp_path / f"{number}.tgz"
        with tarfile.open(tgz, "w:gz", format=form, pax_headers={"comment": "a commit"}) as tar:
            tar.add(lay(tmp_path / "laid", {"message/FooRequest.json": SPEC}), "./top")
            member = tarfile.TarInfo(long)
            member.size = len(SPEC)
            tar.addfile(member, io.BytesIO(SPEC))
        assert paths(tgz) == sorted(["top/message/FooRequest.json", long])


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "several gzip": lambda data: gzip.compress(data[:5000]) + gzip.compress(data[5000:]),
}


def a_tar() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        for number in range(40):
            member = tarfile.TarInfo(f"message/Foo{number}Request.json")
            member.size = len(SPEC)
            tar.addfile(member, io.BytesIO(SPEC))
    return file.getvalue()


@pytest.mark.parametrize("name", ["a.tar", "release", "a.json", "a.jar"])
@pytest.mark.parametrize("packer", PACKERS)
def test_an_archive_is_known_by_its_content(packer: str, name: str, tmp_path: Path) -> None:
    place = tmp_path / name
    place.write_bytes(PACKERS[packer](a_tar()))
    assert is_archive(place)
    assert len(paths(place)) == 40


@pytest.mark.parametrize("packer", PACKERS)
def test_a_packed_tar_that_ends_too_early(packer: str, tmp_path: Path) -> None:
    # Zeros fill up the last block of a tar.
    whole = PACKERS[packer](a_tar()).rstrip(b"\0")
    for share in range(1, 10):
        place = tmp_path / f"{share}.tgz"
        place.write_bytes(whole[: len(whole) * share // 10])
        assert "damaged" in refused(place)


def test_little_that_unpacks_to_much(tmp_path: Path) -> None:
    header = tarfile.TarInfo("message/FooRequest.json")
    header.size = MAX_TOTAL + 1
    zeros = gzip.compress(b"\0" * (16 << 20))
    place = tmp_path / "a.tar"
    place.write_bytes(gzip.compress(header.tobuf()) + zeros * (MAX_TOTAL // (16 << 20) + 1))
    assert re.search("larger than|come out of it", refused(place))


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "a.tgz"
    packed(path, block("X.json", size=len(SPEC)), SPEC)
    text = gzip.decompress(path.read_bytes())
    odd = bytearray(text.replace(b"X.json", b"\xe9.json"))
    odd[148:156] = b" " * 8
    odd[148:156] = b"%06o\0 " % sum(odd[:512])
    path.write_bytes(gzip.compress(bytes(odd)))
    assert paths(path) == ["\\xe9.json"]


# What leads out.


@KINDS
@pytest.mark.parametrize(
    "bad",
    [
        "../x.json",
        "/x.json",
        "a/../../x.json",
        "C:/x.json",
        "c:x.json",
        "..\\x.json",
        "\\x.json",
        "../readme",
        "..",
    ],
)
def test_names_that_lead_out(tmp_path: Path, make: Make, name: str, bad: str) -> None:
    path = make(tmp_path / name, {"FooRequest.json": SPEC, bad: SPEC})
    assert f"the name {bad!a} in it points outside the archive" in refused(path)


@KINDS
def test_two_dots_in_a_name_lead_nowhere(tmp_path: Path, make: Make, name: str) -> None:
    assert paths(make(tmp_path / name, {"a..b/x../y...json": SPEC})) == ["a..b/x../y...json"]


@pytest.mark.parametrize("target", ["/etc/passwd", "../../x", "C:\\x", "..\\..\\x"])
def test_links_that_lead_out(tmp_path: Path, target: str) -> None:
    spec = [block("FooRequest.json", size=len(SPEC)), SPEC]
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
        path = packed(tmp_path / "a.tgz", *spec, block("message/BarRequest.json", kind, link=target))
        assert "the link 'message/BarRequest.json' in it points outside the archive" in refused(path)
    jar = zipped(tmp_path / "a.jar", {"FooRequest.json": SPEC})
    with zipfile.ZipFile(jar, "a") as archive:
        member = zipfile.ZipInfo("message/BarRequest.json")
        member.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(member, target)
    assert "the link 'message/BarRequest.json' in it points outside the archive" in refused(jar)


def test_links_inside_are_not_followed_and_devices_not_opened(tmp_path: Path) -> None:
    special = [
        block(f"message/{kind.decode()}Request.json", kind)
        for kind in (tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE)
    ]
    path = packed(
        tmp_path / "a.tgz",
        block("a/FooRequest.json", size=len(SPEC)),
        SPEC,
        block("b/BarRequest.json", tarfile.SYMTYPE, link="../a/FooRequest.json"),
        block("b/BazRequest.json", tarfile.LNKTYPE, link="a/FooRequest.json"),
        *special,
    )
    assert paths(path) == ["a/FooRequest.json"]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, None])
@pytest.mark.parametrize("target", ["a/Foo.txt", "build/words.json", "missing.json"])
def test_a_link_in_the_place_of_a_spec_to_what_is_not_read(
    tmp_path: Path, kind: bytes | None, target: str
) -> None:
    link = "message/BarRequest.json"
    up = target if kind == tarfile.LNKTYPE else f"../{target}"
    if kind is None:
        path = zipped(tmp_path / "a.jar", {"FooRequest.json": SPEC, "a/Foo.txt": SPEC})
        with zipfile.ZipFile(path, "a") as archive:
            member = zipfile.ZipInfo(link)
            member.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(member, up)
    else:
        texts = {"FooRequest.json": SPEC, "a/Foo.txt": SPEC, "build/words.json": b"{}"}
        blocks = [block(name, size=len(text)) + text for name, text in texts.items()]
        path = packed(tmp_path / "a.tgz", *blocks, block(link, kind, link=up))
    assert f"the link {link!r} in it points to a file that is not read" in refused(path)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, None])
@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ({"message": "build"}, ["message/FooRequest.json"]),
        ({"message": "./a/../build"}, ["message/FooRequest.json"]),
        ({"message": "inner", "inner": "build"}, ["inner/FooRequest.json", "message/FooRequest.json"]),
        ({"message": "a", "a/deep": "../build"}, ["a/deep/FooRequest.json", "message/deep/FooRequest.json"]),
        ({"message/BarRequest.json": "../build/FooRequest.json"}, ["message/BarRequest.json"]),
        # What is read by its own name, no spec, or not there.
        ({"message": "a"}, []),
        ({"message": "nowhere", "docs": "pages"}, []),
        ({"target": "build", "message": "target/none", "test": "build"}, []),
    ],
)
def test_specs_of_skipped_folders_are_read_through_links(
    tmp_path: Path, links: dict[str, str], expected: list[str], kind: bytes | None
) -> None:
    files = dict.fromkeys(("a/BarRequest.json", "build/FooRequest.json", "pages/x"), SPEC)
    files["build/package.json"] = b"{}"
    if kind is None:
        path = zipped(tmp_path / "a.jar", files)
        with zipfile.ZipFile(path, "a") as archive:
            for link, target in links.items():
                member = zipfile.ZipInfo(link)
                member.external_attr = (stat.S_IFLNK | 0o777) << 16
                archive.writestr(member, target)
    else:
        blocks = [block(name, size=len(text)) + text for name, text in files.items()]
        blocks += [block(link, kind, link=target) for link, target in links.items()]
        path = packed(tmp_path / "a.tgz", *blocks)
    assert paths(path) == sorted(["a/BarRequest.json", *expected])


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_link_and_a_spec_of_one_name(tmp_path: Path, kind: bytes, is_first: bool) -> None:
    """Programs that unpack it keep the last one."""
    parts = [
        block("a/FooRequest.json", size=len(SPEC)) + SPEC,
        block("a/FooRequest.json", kind, link="BarRequest.json"),
    ]
    others = [block(name, size=len(SPEC)) + SPEC for name in ("BarRequest.json", "a/BarRequest.json")]
    path = packed(tmp_path / "a.tgz", *others, *(reversed(parts) if is_first else parts))
    kinds = "a link and as a file" if is_first else "a file and as a link"
    assert refused(path).endswith(f"'a/FooRequest.json' is in it twice, as {kinds}")


def test_a_hard_link_to_a_spec_of_a_skipped_folder_is_read(tmp_path: Path) -> None:
    path = packed(
        tmp_path / "a.tgz",
        block("build/FooRequest.json", size=len(SPEC)) + SPEC,
        block("deep/message/FooRequest.json", tarfile.LNKTYPE, link="build/FooRequest.json"),
    )
    assert paths(path) == ["deep/message/FooRequest.json"]


# What is damaged.


@KINDS
def test_a_truncated_archive(tmp_path: Path, make: Make, name: str) -> None:
    noise = {f"message/F{number}Request.json": os.urandom(3000) for number in range(20)}
    path = make(tmp_path / name, noise)
    whole = path.read_bytes()
    for part in (0, 10, len(whole) // 2, len(whole) - 30, len(whole) - 1):
        path.write_bytes(whole[:part])
        assert "the archive is damaged" in refused(path)


def test_a_tar_that_ends_too_early_inside(tmp_path: Path) -> None:
    first, second = ([block(f"F{n}Request.json", size=len(SPEC)), SPEC] for n in (1, 2))
    path = packed(tmp_path / "a.tgz", *first, *second)
    whole = gzip.decompress(path.read_bytes())
    assert len(paths(path)) == 2
    for text in (
        whole[:700],
        whole[:1100],
        whole[:1024] + b"words" + whole[1029:],
        whole[:1024] + b"\0" * 512 + whole[1024:],
    ):
        path.write_bytes(gzip.compress(text))
        assert "the archive is damaged" in refused(path)
    path.write_bytes(gzip.compress(whole[:2048]))
    assert len(paths(path)) == 2, "some write no end"


def test_what_is_no_archive(tmp_path: Path) -> None:
    for name in ("a.jar", "a.tgz"):
        assert "the archive is damaged" in refused(lay(tmp_path, {name: SPEC}) / name)
    with pytest.raises(InputError, match="No such file"):
        read_archive(tmp_path / "none.zip")


def test_an_encrypted_archive(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"a/F.json": SPEC})
    data = bytearray(path.read_bytes())
    for sign, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(sign) + flags] |= 1
    path.write_bytes(bytes(data))
    assert "a.zip: 'a/F.json' in it is encrypted" in refused(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_packed_by_other_means(tmp_path: Path, method: int) -> None:
    # The header of LZMA may ask for gigabytes of memory, whatever it holds; jars have no use for it.
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("F.json", SPEC)
    assert "'F.json' in it has an unsupported compression" in refused(path)


@pytest.mark.parametrize("again", ["a/F.json", "a//F.json", "./a/F.json", "a\\F.json"])
def test_one_name_twice(tmp_path: Path, again: str) -> None:
    spec = block("a/F.json", size=len(SPEC)), SPEC
    path = packed(tmp_path / "a.tgz", *spec, block(again, size=len(SPEC)), SPEC)
    assert "'a/F.json' is in it twice" in refused(path)
    jar = zipped(tmp_path / "a.jar", {"a/F.json": SPEC, "a/X.json": SPEC})
    if again == "a/F.json":
        jar.write_bytes(jar.read_bytes().replace(b"a/X.json", b"a/F.json"))
        assert "'a/F.json' is in it twice" in refused(jar)


def test_an_empty_name(tmp_path: Path) -> None:
    jar = zipped(tmp_path / "a.jar", {"x": b"", "F.json": SPEC})
    data = jar.read_bytes()
    at = data.index(b"PK\x01\x02")
    # The name and its length taken out of the table of contents, and out of the size of that.
    data = data[: at + 28] + b"\0\0" + data[at + 30 : at + 46] + data[at + 47 :]
    end = data.index(b"PK\x05\x06")
    size = struct.unpack("<L", data[end + 12 : end + 16])[0] - 1
    jar.write_bytes(data[: end + 12] + struct.pack("<L", size) + data[end + 16 :])
    assert paths(jar) == ["F.json"]


# What is too much.


@KINDS
def test_a_bomb_is_refused_by_what_comes_out(
    tmp_path: Path, make: Make, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    big = b'{"rows": "' + b"a" * (2 << 20) + b'"}'
    path = make(tmp_path / name, {f"F{number}.json": big for number in range(4)} | {"G.json": SPEC})
    assert path.stat().st_size < 100_000
    assert paths(path) == ["G.json"]
    monkeypatch.setattr(archives, "MAX_TOTAL", 5 << 20)
    assert "more than 5 MiB when unpacked" in refused(path)


def test_an_archive_may_be_as_large_as_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zipped(tmp_path / "a.zip", {"G.json": SPEC})
    monkeypatch.setattr(archives, "MAX_TOTAL", len(SPEC))
    assert paths(path) == ["G.json"]
    monkeypatch.setattr(archives, "MAX_TOTAL", len(SPEC) - 1)
    assert "when unpacked" in refused(path)


def test_what_is_passed_over_counts_where_it_must_be_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MAX_TOTAL", 5 << 20)
    tree = {"words.txt": b"a" * (6 << 20), "G.json": SPEC}
    assert paths(zipped(tmp_path / "a.zip", tree)) == ["G.json"]
    assert "more than 5 MiB when unpacked" in refused(tarred(tmp_path / "a.tgz", tree))
    # After the end of a tar, too.
    path = packed(tmp_path / "b.tgz", block("G.json", size=len(SPEC)), SPEC, b"\0" * (6 << 20))
    assert "more than 5 MiB when unpacked" in refused(path)


@KINDS
def test_one_large_text_is_refused_in_little_memory(
    tmp_path: Path, make: Make, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MAX_TEXT", 1 << 20)
    path = make(tmp_path / name, {"message/FooRequest.json": SPEC[:-2] + b" " * (20 << 20)})
    said: list[str] = []
    assert peak(lambda: said.append(refused(path))) < 5
    assert "'message/FooRequest.json' in it is larger than 1 MiB" in said[0]


def test_a_header_that_lies_about_a_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_TEXT", 1000)
    path = zipped(tmp_path / "a.zip", {"FooRequest.json": SPEC + b" " * 5000})
    whole = path.read_bytes()
    size = struct.pack("<L", len(SPEC) + 5000)
    assert whole.count(size) == 2
    for lie in (0, 10, 999, 2**32 - 2):
        path.write_bytes(whole.replace(size, struct.pack("<L", lie)))
        assert "larger than" in refused(path) or "damaged" in refused(path)
    # A tar's sizes are all there is; one that goes beyond the end is noticed there.
    monkeypatch.setattr(archives, "MAX_TEXT", 16 << 20)
    tgz = packed(tmp_path / "a.tgz", block("FooRequest.json", size=(8 << 30) - 1), SPEC)
    assert "damaged" in refused(tgz)
    tgz = packed(tmp_path / "a.tgz", block("words.txt", size=(8 << 30) - 1), SPEC)
    assert "damaged" in refused(tgz)


@KINDS
def test_too_many_files(tmp_path: Path, make: Make, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_FILES", 3)
    assert len(paths(make(tmp_path / name, {f"F{number}.json": SPEC for number in range(3)}))) == 3
    assert "more than 3 files" in refused(make(tmp_path / name, {f"F{number}": b"" for number in range(4)}))


@pytest.mark.parametrize("count", [100_001, 1_000_000])
def test_a_table_of_contents_is_not_loaded_to_be_counted(tmp_path: Path, count: int) -> None:
    entry = b"PK\x01\x02" + b"\0" * 24 + b"\x01\0" + b"\0" * 16 + b"x"
    path = tmp_path / "a.zip"
    with open(path, "wb") as file:
        file.write(entry * count)
        # It says that it holds one file.
        file.write(struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(entry) * count, 0, 0))
    said: list[str] = []
    assert peak(lambda: said.append(refused(path))) < 16
    assert "more than 100000 files" in said[0]


def test_headers_of_a_tar_cannot_grow_without_end(tmp_path: Path) -> None:
    large = b"\0" * (20 << 20)
    sparse = bytearray(block("FooRequest.json", tarfile.GNUTYPE_SPARSE, size=512))
    sparse[482] = 1
    sparse[148:156] = b" " * 8
    sparse[148:156] = b"%06o\0 " % sum(sparse)
    more = (b"%011o\0" % 1 + b"%011o\0" % 1) * 21 + b"\1" + b"\0" * 7
    pax = b"30 comment=hello hello hello.\n"
    for number, blocks in enumerate(
        (
            [block("x", tarfile.XHDTYPE, size=len(large)), large],
            [block("x", tarfile.XGLTYPE, size=len(large)), large],
            [block("x", tarfile.GNUTYPE_LONGNAME, size=len(large)), large],
            [bytes(sparse), more * 5000],
            [block("x", tarfile.XHDTYPE, size=len(pax)), pax] * 2000,
        )
    ):
        path = packed(tmp_path / f"{number}.tgz", *blocks, block("F.json", size=len(SPEC)), SPEC)
        said: list[str] = []
        held = peak(lambda path=path, said=said: said.append(refused(path)))  # type: ignore[misc]
        assert held < 10, number
        assert "a header in it is too large" in said[0] or "damaged" in said[0]


def test_a_sparse_member_is_not_filled_up(tmp_path: Path) -> None:
    pax = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(1 << 50)}
    path = tmp_path / "a.tgz"
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("message/FooRequest.json")
        member.pax_headers = pax
        text = b"1\n0\n91\n".ljust(512, b"\0") + SPEC
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    assert "'message/FooRequest.json' in it has an unsupported compression" in refused(path)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, None])
@pytest.mark.parametrize(
    ("targets", "expected"),
    [(("a", "build"), ["message/FooRequest.json"]), (("build", "a"), []), (("a", "a"), [])],
)
def test_the_last_link_of_a_name_counts(
    tmp_path: Path, targets: tuple[str, ...], expected: list[str], kind: bytes | None
) -> None:
    """As where the archive is unpacked: `tar -r` adds a link that was changed once more."""
    files = dict.fromkeys(("a/BarRequest.json", "build/FooRequest.json"), SPEC)
    if kind is None:
        path = zipped(tmp_path / "a.jar", files)
        with zipfile.ZipFile(path, "a") as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the second link
            for target in targets:
                member = zipfile.ZipInfo("message")
                member.external_attr = (stat.S_IFLNK | 0o777) << 16
                archive.writestr(member, target)
    else:
        blocks = [block(name, size=len(text)) + text for name, text in files.items()]
        blocks += [block("message", kind, link=target) for target in targets]
        path = packed(tmp_path / "a.tgz", *blocks)
    assert paths(path) == ["a/BarRequest.json", *expected]


def test_the_first_of_two_links_may_not_lead_outside_either(tmp_path: Path) -> None:
    links = [block("message", tarfile.SYMTYPE, link=target) for target in ("../x", "a")]
    assert "the link 'message' in it points outside the archive" in refused(
        packed(tmp_path / "a.tgz", *links)
    )


@pytest.mark.parametrize("length", [79, 80, 81])
def test_a_name_in_an_error_is_cut(length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "n" * (length - 5) + ".json"
    shown = repr(name[:80])
    twice = packed(tmp_path / "a.tgz", *[block(name, size=len(SPEC)), SPEC] * 2)
    assert refused(twice).endswith(f": {shown} is in it twice")
    link = block(name, tarfile.SYMTYPE, link="../x")
    assert f"the link {shown} in it points outside" in refused(packed(tmp_path / "c.tgz", link))
    lost = block(name, tarfile.SYMTYPE, link="x")
    assert f"the link {shown} in it points to a file" in refused(packed(tmp_path / "d.tgz", lost))
    monkeypatch.setattr(archives, "MAX_TEXT", len(SPEC) - 1)
    large = packed(tmp_path / "e.tgz", block(name, size=len(SPEC)), SPEC)
    assert refused(large).endswith(f": {shown} in it is larger than 0 MiB, too large for a spec")
    monkeypatch.setattr(archives, "MAX_TEXT", len(SPEC))
    assert paths(large) == [name]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("a  b\nc"), "a b c"),
        (EOFError(), "EOFError"),
        (RecursionError("x" * 119), "x" * 119),
        (OverflowError("x" * 120), "x" * 120),
        (struct.error("x" * 121), "x" * 120),
    ],
)
def test_the_reason_of_the_library_is_one_short_line(
    error: Exception, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise error

    path = tarred(tmp_path / "a.tgz", TREE)
    monkeypatch.setattr(archives, "_unpacked", failing)
    assert refused(path) == f"{path}: the archive is damaged ({words})"


# What nobody has thought of.


def _one_of_each(folder: Path) -> dict[str, bytes]:
    tree = {f"message/é{number}.json": SPEC + b" " * number for number in range(3)} | {"a.txt": b"words"}
    text = gzip.decompress(tarred(folder / "a.tgz", tree).read_bytes())
    return {"a.zip": zipped(folder / "a.zip", tree).read_bytes(), "a.tgz": text}


@given(
    st.sampled_from(["a.zip", "a.tgz"]),
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(max_size=12), st.booleans()), max_size=4),
)
def test_a_changed_archive_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str, changes: list[tuple[float, bytes, bool]]
) -> None:
    folder = tmp_path_factory.getbasetemp() / "changed"
    folder.mkdir(exist_ok=True)
    data = bytearray(_one_of_each(folder)[name])
    for where, what, insert in changes:
        at = int(where * len(data))
        data[at : at if insert else at + len(what)] = what
    path = folder / name
    path.write_bytes(bytes(data) if name == "a.zip" else gzip.compress(bytes(data), 1))
    said = ""
    texts = []
    try:
        texts = read_archive(path)
    except InputError as error:
        said = str(error)
    assert texts or said or changes
    assert not said or said.startswith(f"{path}: ")
    assert "\n" not in said
    # A zip proves each text by its sum: a change that is not noticed has changed none of them.
    assert name == "a.tgz" or {text.text.rstrip() for text in texts} <= {SPEC.rstrip()}
