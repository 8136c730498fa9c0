"""The seeds of each target: plain inputs, every kind of hostile input that is known, and what fuzzing found.

What is large or repeats itself is made here; what fuzzing found is a file in `corpus/TARGET/`.
"""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from tests.fleet.logs import kafka_line
from tests.fuzz.gitdata import printed, tree
from tests.fuzz.targets import OLD, SPLIT
from tests.rules.check import hostile
from wirebook.docgen.render.bytes import record_vectors
from wirebook.live.probe.messages import api_versions_request, request
from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.wire.records.entries import write_entries
from wirebook.specs.wire.records.model import Batch, MessageSetEntry

CORPUS = Path(__file__).with_name("corpus")
_RENDERED = 64 << 10
# The names and texts of other people with which sites, terminals, comments and runners of CI are attacked.
PAYLOADS = (
    "</title><script>alert(1)</script>",
    "\x1b[2J\x9b31m\u202e\u2066\ud800",
    "::error file=a::b\n::set-output",
    "../../../etc/passwd",
    "${{ github.token }}",
    "%00 % \\ ' \" ` | [a](javascript:b)",
    "x" * 5000,
)


def seeds(target: str) -> dict[str, bytes]:
    """Every seed of a target, by its name."""
    found = dict(_MAKERS[target]())
    folder = CORPUS / target
    if folder.is_dir():
        found |= {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    return found


def _spec() -> Iterable[tuple[str, bytes]]:
    yield "plain", OLD
    yield "comments", b"\xef\xbb\xbf// a comment\n" + OLD + b"\n// an end"
    yield "empty", b""
    yield "empty object", b"{}"
    yield "no spec", b"root:x:0:0:root:/root:/bin/bash\n"
    yield "own", (FOLDER / "messages" / "FetchResponse.json").read_bytes()
    for number, text in enumerate(PAYLOADS):
        yield f"payload {number}", OLD.replace(b'"HostileRequest"', json.dumps(text).encode())
    for name, make in hostile.ROWS.items():
        row = make()
        yield name, row.new.encode()
    yield "digits", OLD.replace(b"900", b"9" * 5000)
    yield "surrogate", OLD.replace(b"A number", b"\\ud800")
    yield "duplicate keys", OLD[:-1] + b',"x-a":1' * 200_000 + b"}"


def _check() -> Iterable[tuple[str, bytes]]:
    yield "same", OLD + SPLIT + OLD
    yield "type", OLD.replace(b"int32", b"int64")
    for number, text in enumerate(PAYLOADS):
        name = json.dumps(text).encode()
        for key in (b'"HostileRequest"', b'"A"', b'"A number."', b'"string"', b'"x"', b'"0-2"', b'"2+"'):
            yield f"payload {number} at {key.decode()}", OLD.replace(key, name)
    for title, make in hostile.ROWS.items():
        row = make()
        # test_budgets.py has the others: here each is rendered in every format, too.
        if len(row.old) + len(row.new) < _RENDERED:
            yield title, row.old.encode() + SPLIT + row.new.encode()


def _config() -> Iterable[tuple[str, bytes]]:
    yield (
        "plain",
        b"""paths = ["specs", "a/**/*.json"]
exclude = "b"
released = ["[0-9]*"]
against = "HEAD"
branch = "main"
waivers = "w.toml"
plugins = ["rules"]
prerelease = ["*-rc*"]
deprecated_for = "2 releases"
[severities]
type-changed = "off"
wire = "warning"
[[override]]
paths = ["a"]
messages = ["Fetch*"]
severities = { spec = "info" }
""",
    )
    for sign in ("**/", "**/a/", "*a", "?*", "**", "[a", "*/"):
        glob = json.dumps(sign * 300 + "z").encode()
        yield f"a glob of {sign}", b"exclude = " + glob
        yield (
            f"a glob of {sign} on messages",
            b"[[override]]\nmessages = %b\nseverities.wire = 'info'\n" % glob,
        )
    yield "many globs", b"exclude = [" + b'"a*", ' * 20_000 + b"]\n"
    one = b"[[override]]\nmessages = 'a*'\nseverities.wire = 'info'\n"
    yield "many overrides", one * 10_000
    yield "pyproject", b'[tool.wirebook]\npaths = ["a"]\n[tool.wirebook.severities]\nwire = "error"\n'
    yield from _toml()


def _waivers() -> Iterable[tuple[str, bytes]]:
    yield (
        "plain",
        b"""[[waiver]]
rule = "type-changed"
message = "FetchRequest"
field = "A.B"
versions = "0-3, 5"
subject = "s"
change = "type: int32 -> int64"
reason = "It was wrong."
by = "A. Nother"
expires = 2030-12-31
kind = "spec-correction"
""",
    )
    yield "twice", b'[[waiver]]\nrule="type-changed"\nmessage="A"\nreason="b"\nby="c"\n' * 2000
    yield from _toml()


def _toml() -> Iterable[tuple[str, bytes]]:
    yield "a key of many parts", b".".join([b"a"] * 100_000) + b" = 1\n"
    yield "a table of many parts", b"[" + b".".join([b'"a"'] * 50_000) + b"]\n"
    yield "many tables", b"".join(b"[a%d.b]\nc = 1\n" % number for number in range(5000))
    yield "many entries", b"[[waiver]]\n" * 20_000
    yield "many keys", b"".join(b"key%d = 1\n" % number for number in range(20_000))
    yield "brackets", b"a = " + b"[" * 20_000
    yield "tables in tables", b"a = " + b"{ a = " * 5000
    yield "digits", b"a = " + b"9" * 100_000
    yield "an underscore", b"a = 1" + b"_1" * 100_000
    yield "a text that does not end", b'a = """' + b'\\"' * 100_000
    yield "quotes", b"a = '''" + b"''" * 50_000
    yield "dots in a text", b'against = "' + b"a." * 100_000 + b'"\n'
    yield "spaces", b"a" + b" " * 200_000 + b"= 1" + b" " * 200_000
    yield "no UTF-8", b"a = '\xff'"
    yield "empty", b""
    for number, text in enumerate(PAYLOADS):
        written = json.dumps(text, ensure_ascii=True).replace("\\ud800", "\\ufffd").encode()
        yield f"payload {number} as a key", written + b" = 1\n"
        yield f"payload {number} as a value", b"against = " + written + b"\n"
        yield f"payload {number} as a rule", b'[[waiver]]\nrule = "type-changed"\nmessage = ' + written


def _archive() -> Iterable[tuple[str, bytes]]:
    packers: Mapping[str, Callable[[bytes], bytes]] = {
        "tar": bytes,
        "gzip": lambda data: gzip.compress(data, mtime=0),
        "bzip2": bz2.compress,
        "xz": lzma.compress,
    }
    spec = {"message/HostileRequest.json": OLD}
    named: dict[str, Mapping[str, bytes]] = {
        "plain": spec,
        "outside": {"../message/HostileRequest.json": OLD},
        "absolute": {"/message/HostileRequest.json": OLD},
        "drive": {"C:\\message\\HostileRequest.json": OLD},
        "long name": {"message/" + "a" * 5000 + ".json": OLD},
        "deep": {"a/" * 3000 + "message/A.json": OLD},
        "many": {f"message/A{number}.json": b"{}" for number in range(300)},
        "large": {"message/A.json": OLD + b" " * 4_000_000},
        "no spec": {"etc/passwd": b"root:x:0:0"},
    }
    for title, files in named.items():
        for packer, pack in packers.items():
            yield f"{title}, {packer}", pack(tarred(files))
        yield f"{title}, zip", zipped(files)
    for link in (tarfile.SYMTYPE, tarfile.LNKTYPE):
        for at in ("/etc/passwd", "../../x", "message/B.json"):
            yield f"a link to {at} ({link!r})", tarred({"message/A.json": b""}, link, at)
    for device in (tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.GNUTYPE_SPARSE):
        yield f"a device ({device!r})", tarred({"message/A.json": b""}, device)
    for packer, pack in packers.items():
        packed = pack(tarred(spec))
        yield f"cut, {packer}", packed[: len(packed) // 2]
        yield f"twice, {packer}", packed * 2
        yield f"a bomb, {packer}", pack(b"\0" * 3_000_000)
    yield "gzip in gzip", gzip.compress(gzip.compress(tarred(spec), mtime=0), mtime=0)
    yield (
        "xz for much memory",
        lzma.compress(OLD, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 256 << 20}]),
    )
    zstd = "KLUv/QRYaQAAdGhpcyBpcyBubyB0YXIKMMDtQQ=="
    yield "zstd", base64.b64decode(zstd)
    yield "zstd for much memory", bytes.fromhex("28b52ffd00f8")
    yield "encrypted, zip", zipped(spec).replace(b"\x14\0\0\0", b"\x14\0\1\0")
    yield "a zip behind a text", b"#!/bin/sh\n" + zipped(spec)
    yield "a zip of nothing", b"PK\5\6" + b"\0" * 18
    yield "a zip that lies", b"PK\5\6" + b"\0" * 4 + b"\xff" * 14


def tarred(files: Mapping[str, bytes], kind: bytes = tarfile.REGTYPE, link: str = "") -> bytes:
    """A tar."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname, member.size = kind, link, len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _git() -> Iterable[tuple[str, bytes]]:
    spec, folder = "4" * 40, "5" * 40
    inner = tree(("100644", b"HostileRequest.json", spec), ("120000", b"Link.json", spec))
    top = tree(("40000", b"message", folder), ("160000", b"module", spec))
    yield "plain", printed("tree", top) + printed("tree", inner, folder) + printed("blob", OLD, spec)
    commit = b"tree " + b"4" * 40 + b"\nparent " + b"6" * 40
    who = b"\nauthor A <a@b> 1 +0000\ncommitter A <a@b> %b +0000\n\nwords\n"
    yield "commits", printed("commit", commit + who % b"1700000000") * 3
    yield "a day far away", printed("commit", commit + who % (b"9" * 12))
    yield "a parent that is no name", printed("commit", commit.replace(b"6", b"\xff") + who % b"1")
    yield "a tree that is cut", printed("tree", top[:-5])
    yield "a tree without an end", printed("tree", b"100644 a")
    yield "a tree in itself", printed("tree", tree(("40000", b"message", "2" * 40))) * 50
    yield (
        "trees in trees",
        b"".join(
            printed("tree", tree(("40000", b"message", f"{number + 1:040x}")), f"{number:040x}")
            for number in range(200)
        ),
    )
    yield (
        "many files",
        printed("tree", tree(*(("100644", b"A%d.json" % number, spec) for number in range(20_000)))),
    )
    for number, name in enumerate((b"..", b"a/b.json", b"\xff\n.json", b"\x1b[2J.json", b".git", b"")):
        yield f"name {number}", printed("tree", tree(("100644", name, spec))) + printed("blob", OLD, spec)
    yield "a size that lies", printed("blob", OLD, size=1 << 40)
    yield "a size of many digits", b"2" * 40 + b" blob " + b"9" * 5000 + b"\n"
    yield "missing", b"HEAD missing\n" * 100
    yield "ambiguous", b"a ambiguous\n"
    yield "stderr", b"warning: a\nfatal: not a git repository (or any of the parent directories): .git\n"
    yield "tags", "\n".join(f"{n}.{n}.{n}-rc{n}" for n in range(5000)).encode()
    yield "long tags", b"1." * 50_000 + b"\n" + b"9" * 100_000 + b"\n" + b"1-rc" * 20_000


def _codec() -> Iterable[tuple[str, bytes]]:
    for number in range(0, 2000, 97):
        head = number.to_bytes(2, "big")
        yield f"layout {number}, zeros", head + bytes(200)
        yield f"layout {number}, ones", head + b"\x01" * 200
        yield f"layout {number}, a length that lies", head + b"\x7f\xff\xff\xff" * 50
        yield f"layout {number}, a varint that does not end", head + b"\xff" * 200
        yield f"layout {number}, a count of empty elements", head + b"\0\0\0\0\xff\xff\xff\xff\x07" * 40


def _lines() -> Iterable[tuple[str, bytes]]:
    value = b'{"message": "HeartbeatRequest", "version": 4, "value": {"GroupId": %b}}\n'
    yield (
        "plain",
        value % b'"g"' + b'{"message": "heartbeatrequest", "version": "4", "hex": "026700000003026d0000"}\n',
    )
    yield "half of a surrogate pair", value % b'"\\ud800"' + value % b'"\xed\xa0\x80"'
    yield "a repeated key", value % b'"g", "GroupId": "h"' + b'{"message": 1, "message": "x"}\n'
    yield (
        "spellings",
        b"".join(
            value.replace(b"Heartbeat", bytes(_spelt(b"heartbeat", number))) % b'"g"' for number in range(500)
        ),
    )
    yield (
        "controls",
        value % b'"\\u009b31m\\u202e\\u0000\\u2028"'
        + (b'{"message": "HeartbeatRequest", "version": 4, "hex": "04c29b670000000302e280ae00"}\n'),
    )
    yield (
        "versions",
        b"".join(
            value.replace(b": 4", b": " + text) % b'"g"'
            for text in (b"-1", b"1e9", b"true", b"null", b"[]", b'"4-5"', b"9" * 5000, b'"\\ud800"')
        ),
    )
    yield "nested", b"[" * 100_000 + b"\n" + value % (b"[" * 50_000) + b'{"a":' * 50_000 + b"\n"
    yield "no UTF-8", b"\xff\xfe\n\n\r\x85\x0b\n"
    yield "constants", value % b"NaN" + value % b"-Infinity" + value % b"1e999"


def _fleet() -> Iterable[tuple[str, bytes]]:
    """Lines of request logs, and dumps of metrics."""
    yield "lines", b"\n".join([kafka_line(), kafka_line(client_id="}"), kafka_line()[:90]])
    bean = b"kafka.network:type=RequestMetrics,name=RequestsPerSec,request=Fetch,version=3:Count"
    yield "jmx", b'"time","%b"\n1760000000000,12\n' % bean
    yield "jmx by line", b"time=1760000000000\n%b=12\n" % bean
    metric = b'kafka_network_requestmetrics_requests_total{request="Fetch",version="3"}'
    yield "prometheus", b"# TYPE x counter\n%b 1.5E3 1760000000000\n" % metric
    yield "quotes", b"# TYPE x counter\n" + metric[:44] + b'a="\\' * 50_000 + b" 1"


def _spelt(name: bytes, number: int) -> Iterable[int]:
    return (code ^ 32 if number >> place & 1 else code for place, code in enumerate(name))


def _framed(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def _mock() -> Iterable[tuple[str, bytes]]:
    talk = b"".join(
        _framed(request(api, version, value, 7))
        for api, version, value in (
            ("ApiVersions", 0, {}),
            ("ApiVersions", 4, api_versions_request(4)),
            ("Metadata", 4, {"Topics": None, "AllowAutoTopicCreation": False}),
            ("SaslHandshake", 1, {"Mechanism": "PLAIN"}),
            ("SaslAuthenticate", 1, {"AuthBytes": b"\0user\0password".hex()}),
            ("Metadata", 1, {"Topics": [{"Name": "t"}] * 50}),
        )
    )
    scram = b"n,,n=user,r=nonce"
    raw = _framed(request("SaslHandshake", 0, {"Mechanism": "SCRAM-SHA-256"}, 1)) + _framed(scram) * 2
    names = b"".join(_framed(b"n,,n=user%d,r=nonce" % number) for number in range(200))
    for setup in range(6):
        first = bytes([setup])
        yield f"plain, {setup}", first + talk
        yield f"tokens, {setup}", first + raw
        yield f"names, {setup}", first + raw[:-40] + names
        yield f"TLS, {setup}", first + b"\x16\x03\x01\x02\0"
        yield f"HTTP, {setup}", first + b"GET / HTTP/1.1\r\n\r\n"
        yield f"a length that lies, {setup}", first + b"\x7f\xff\xff\xff"
        yield f"a negative length, {setup}", first + b"\xff\xff\xff\xff"
        yield f"empty frames, {setup}", first + b"\0\0\0\0" * 500
        yield f"pipelined, {setup}", first + _framed(request("ApiVersions", 0, {}, 1)) * 200


def _probe() -> Iterable[tuple[str, bytes]]:
    listed = b"".join(key.to_bytes(2, "big") + b"\0\0" + b"\0\x04" for key in (3, 17, 18, 36))
    for kind in range(4):
        first = bytes([kind])
        refused = b"\0\0\0\1\0\x23" + b"\0\0\0\1\0\x12\0\0\0\3"
        answer = b"\0\0\0\2\0\0" + b"\0\0\0\4" + listed
        yield f"plain, {kind}", first + _framed(refused) + _framed(answer) + _framed(b"\0\0\0\3" + bytes(60))
        yield (
            f"newest, {kind}",
            first + _framed(b"\0\0\0\1\0\0\5" + listed.replace(b"\0\4", b"\0\4\0") + bytes(5)),
        )
        yield f"an array that lies, {kind}", first + _framed(b"\0\0\0\1\0\0" + b"\x7f\xff\xff\xff")
        yield (
            f"all keys, {kind}",
            first
            + _framed(refused)
            + _framed(
                b"\0\0\0\2\0\0"
                + (3000).to_bytes(4, "big")
                + b"".join(key.to_bytes(2, "big") + b"\0\0\x7f\xff" for key in range(3000))
            ),
        )
        yield f"HTTP, {kind}", first + b"HTTP/1.1 400 Bad Request\r\n\r\n"
        yield f"TLS, {kind}", first + b"\x15\x03\x01\0\2\2\x28"
        yield f"text, {kind}", first + b"\x1b[2J220 \xc2\x9b mail\r\n"
        yield f"a length that lies, {kind}", first + b"\x7f\xff\xff\xff"
        yield f"zeros, {kind}", first + bytes(2000)


def _records() -> Iterable[tuple[str, bytes]]:
    vectors = [bytes.fromhex(item["hex"]) for item in record_vectors.document()["vectors"]]
    for number, data in enumerate(vectors):
        yield f"vector {number}", data
    plain = vectors[3]
    yield "cut off", plain * 3 + plain[:-1]
    yield "many", plain * 5_000
    yield "corrupt", plain[:70] + b"?" + plain[71:]
    yield "a length that lies", plain[:8] + b"\x7f\xff\xff\xff" + plain[12:] + plain
    yield "a negative length", plain[:8] + b"\xff\xff\xff\xff" + plain[12:]
    yield "zeros", bytes(100_000)
    head = write_entries([Batch(attributes=1)])[:57]
    record = bytes.fromhex("0c000000010100")
    bombs = {"zeros": bytes(1 << 27), "records": record * 9_000_000, "few records": record * 200_000}
    bombs["headers"] = b"\x80\x80\x80\x60" + b"\0\0\0\1\1" + b"\x80\x80\x80\x20" + b"\0\1" * 20_000_000
    for name, content in bombs.items():
        payload = zlib.compress(content, wbits=31)
        rest = (20_000_000).to_bytes(4, "big") + payload
        yield f"a bomb of {name}", head[:8] + (45 + len(rest)).to_bytes(4, "big") + head[12:] + rest
    deep = [MessageSetEntry(1, attributes=1, messages=(MessageSetEntry(1, attributes=1, messages=()),))]
    yield "messages in messages in messages", write_entries(deep)


_MAKERS: dict[str, Callable[[], Iterable[tuple[str, bytes]]]] = {
    "spec": _spec,
    "check": _check,
    "config": _config,
    "waivers": _waivers,
    "archive": _archive,
    "git": _git,
    "codec": _codec,
    "records": _records,
    "lines": _lines,
    "fleet": _fleet,
    "mock": _mock,
    "probe": _probe,
}
