"""The client of the guide: its hash, checksum and batches, its versions, and its login at the mock broker."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator

import pytest

from tests.first_client import PASSWORD, first_client, run
from tests.live.mocks import Loop, Mocked, mocked, mocks, setup
from tests.support import ROOT
from wirebook.docgen.render.pages.first_client import CLIENT, inserts, source_of
from wirebook.live.mock.sasl import Users
from wirebook.specs.exchange.records import encode_records, open_bare
from wirebook.specs.kafka.brokers import released_brokers
from wirebook.specs.kafka.flows import all_flows
from wirebook.specs.kafka.registry import embedded_path, read_embedded

GUIDE = ROOT / "site_src" / "first-client.md"
APIS = [
    value
    for name, value in vars(first_client()).items()
    if name.isupper() and isinstance(value, tuple) and isinstance(value[0], str)
]


# Those of Kafka's UtilsTest.
@pytest.mark.parametrize(
    ("key", "number"),
    [
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_the_hash_is_that_of_java(key: bytes, number: int) -> None:
    assert first_client().murmur2(key) == number & 0xFFFFFFFF


def test_the_keys_of_the_guide_have_their_partitions() -> None:
    rows = re.findall(r"^\| `(\S+)` \| (-?\d+) \| (\d+) \| (\d+) \|$", GUIDE.read_text("utf-8"), re.MULTILINE)
    assert len(rows) == 4
    for key, number, of_three, of_ten in rows:
        hashed = first_client().murmur2(key.encode())
        assert hashed == int(number) & 0xFFFFFFFF
        assert ((hashed & 0x7FFFFFFF) % 3, (hashed & 0x7FFFFFFF) % 10) == (int(of_three), int(of_ten))


def test_the_checksum_is_that_of_castagnoli() -> None:
    assert first_client().crc32c(b"123456789") == 0xE3069283


def test_our_codec_reads_its_batches_and_it_reads_ours() -> None:
    records = [(b"alice", b"one"), (None, b"x" * 300), (b"", b"")]
    data = first_client().write_batch(records)
    opened = open_bare(data)
    assert opened.problems == []
    assert encode_records(opened.value) == data
    assert list(first_client().read_batches(data)) == [
        (number, key, value) for number, (key, value) in enumerate(records)
    ]
    assert list(first_client().read_batches(data + data[:-1])) == list(first_client().read_batches(data))


def test_a_damaged_or_compressed_batch_is_refused() -> None:
    data = bytearray(first_client().write_batch([(None, b"one")]))
    data[-1] ^= 1
    with pytest.raises(SystemExit, match="a wrong checksum"):
        list(first_client().read_batches(bytes(data)))


def test_forms_and_values_agree() -> None:
    form, values = "hs[s[ib]]B", [-2, "a", [["t", [[1, 2], [3, 4]]], ["u", []]], b"\0\1"]
    data = first_client().encode(form, *values)
    assert list(first_client().fields(form)) == ["h", "s", "[s[ib]]", "B"]
    assert first_client().Reader(data).decode(form) == values
    assert first_client().encode("s[i]", None, None) == b"\xff\xff\xff\xff\xff\xff"


@pytest.mark.parametrize("number", [0, -1, 63, 64, -65, 1 << 40, -(1 << 63)])
def test_variable_length_numbers(number: int) -> None:
    assert first_client().Reader(first_client().varint(number)).varint() == number


@pytest.mark.parametrize("api", APIS, ids=lambda api: f"{api[0]}-{api[2]}")
def test_releases_since_2_2_serve_its_versions(api: tuple[str, int, int]) -> None:
    name, key, version = api
    request = read_embedded(embedded_path(f"{name}Request"))
    assert request.api_key == key
    since = (2, 4) if (name, version) == ("ApiVersions", 3) else (2, 2)
    served = [
        broker.release
        for broker in released_brokers()
        if broker.is_released and tuple(map(int, broker.release.split(".")[:2])) >= since
    ]
    assert {"4.0", "4.3"} <= {release[:3] for release in served}
    for broker in released_brokers():
        if broker.release in served:
            assert version in broker.versions[key], f"{broker.release} does not serve {name} {version}"
    # The client has no compact encodings, but for one request.
    assert version not in request.flexible_versions or (name, version) == ("ApiVersions", 3)


def test_it_needs_only_the_standard_library_and_is_short() -> None:
    text = CLIENT.read_text("utf-8")
    tree = ast.parse(text)
    modules = {
        module.split(".")[0]
        for node in ast.walk(tree)
        for module in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert modules <= set(sys.stdlib_module_names)
    assert len(_lines_of_code(text, tree)) < 400, "the guide promises fewer"


def _lines_of_code(text: str, tree: ast.Module) -> set[int]:
    """The lines without those that are blank, a comment, or part of a docstring."""
    docstrings: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and ast.get_docstring(node):
            first = node.body[0]
            docstrings |= set(range(first.lineno, (first.end_lineno or 0) + 1))
    without = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    lines = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in (*without, tokenize.ENDMARKER)
        for line in range(token.start[0], token.end[0] + 1)
    }
    return lines - docstrings


def test_the_guide_shows_every_part_and_every_byte() -> None:
    text = GUIDE.read_text("utf-8")
    made = inserts()
    assert sorted(re.findall(r"^<!-- wirebook: (\S+) -->$", text, re.MULTILINE)) == sorted(made)
    shown = "".join(made.values())
    for attribute in ("id", "aria-label"):
        values = re.findall(rf' {attribute}="([^"]+)"', shown.replace(' aria-label="Python"', ""))
        assert len(values) == len(set(values)), f"each {attribute} is there once"
    flow = next(flow for flow in all_flows() if flow.name == "client-session")
    assert shown.count("<summary>") == sum(len(step.messages) for step in flow.steps)
    assert source_of("murmur2").startswith("def murmur2(data: bytes) -> int:\n")
    assert source_of("Member.leave").startswith("    def leave(self)")


def test_every_recorded_request_is_one_that_the_client_encodes() -> None:
    """The versions of the recording are those of the file."""
    sent = {(name, version) for name, _, version in APIS}
    flow = next(flow for flow in all_flows() if flow.name == "client-session")
    recorded = {
        (message.layout.api, message.layout.version)
        for step in flow.steps
        for message in step.messages
        if message.layout.type == "request"
    }
    assert recorded == sent - {("Heartbeat", 0)}, "the recording is too short for a heartbeat"


@pytest.fixture(scope="module")
def loop() -> Iterator[Loop]:
    with mocks() as made:
        yield made


def asked(broker: Mocked) -> list[tuple[str, int]]:
    return [(request["api"], request["version"]) for request in broker.requests]


@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-256", "PLAIN"])
@pytest.mark.parametrize(("release", "first"), [("2.2", [3, 0]), ("2.4", [3]), ("4.3", [3])])
def test_it_negotiates_and_logs_in_at_the_mock_broker(
    loop: Loop, mechanism: str, release: str, first: list[int]
) -> None:
    mechanisms = ("SCRAM-SHA-256", "PLAIN")
    given = setup(release, mechanisms=mechanisms, users=Users({"alice": PASSWORD}), topics={"orders": 2})
    with mocked(loop, given) as broker:
        address = f"127.0.0.1:{broker.port}"
        printed = run(address, "--user", "alice", "--mechanism", mechanism, "topics")
    assert printed == f"orders 0={address} 1={address}\n"
    tokens = [("SaslAuthenticate", 0)] * (2 if mechanism.startswith("SCRAM") else 1)
    assert asked(broker) == [
        *(("ApiVersions", version) for version in first),
        ("SaslHandshake", 1),
        *tokens,
        ("Metadata", 4),
    ]


def test_a_wrong_password_ends_it(loop: Loop) -> None:
    given = setup(mechanisms=("SCRAM-SHA-256",), users=Users({"alice": PASSWORD}))
    with mocked(loop, given) as broker:
        address = f"127.0.0.1:{broker.port}"
        printed = run(address, "--user", "alice", "topics", password="guess", code=1)
        assert printed.startswith("the login failed: Authentication failed")
        printed = run(address, "--user", "alice", "--mechanism", "PLAIN", "topics", code=1)
        assert printed == "PLAIN is not enabled, but [['SCRAM-SHA-256']]\n"


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("close", "the broker has closed the connection"),
        ("wrong-correlation", "the response belongs to another request"),
        ("metadata-missing", "the broker does not serve version 4 of Metadata"),
        ("refused", "KafkaError: ApiVersions: error code 42"),
    ],
)
def test_a_broker_that_misbehaves_ends_it_with_a_reason(loop: Loop, mode: str, words: str) -> None:
    with mocked(loop, setup("4.3", mode)) as broker:
        assert words in run(f"127.0.0.1:{broker.port}", "topics", code=1)
