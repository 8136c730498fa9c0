"""A Kafka client in one file, with nothing but Python's standard library.

    first_client.py HOST:PORT topics
    first_client.py HOST:PORT produce TOPIC [KEY=]VALUE...
    first_client.py HOST:PORT consume TOPIC [--group GROUP] [--count N]

With --user NAME it logs in by SCRAM-SHA-256, or by PLAIN with --mechanism PLAIN; the password is in
the environment variable KAFKA_PASSWORD. Records are not compressed, and a failed batch is not sent
again.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import hmac
import os
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

# Name, key and version. Releases 2.2 to 4.3 serve these versions; for ApiVersions 3, which is
# flexible, 2.4.
PRODUCE, FETCH, LIST_OFFSETS = ("Produce", 0, 3), ("Fetch", 1, 4), ("ListOffsets", 2, 1)
METADATA, FIND_COORDINATOR = ("Metadata", 3, 4), ("FindCoordinator", 10, 1)
OFFSET_COMMIT, OFFSET_FETCH = ("OffsetCommit", 8, 2), ("OffsetFetch", 9, 1)
JOIN_GROUP, SYNC_GROUP = ("JoinGroup", 11, 4), ("SyncGroup", 14, 0)
HEARTBEAT, LEAVE_GROUP = ("Heartbeat", 12, 0), ("LeaveGroup", 13, 0)
SASL_HANDSHAKE, SASL_AUTHENTICATE = ("SaslHandshake", 17, 1), ("SaslAuthenticate", 36, 0)
API_VERSIONS, OLD_API_VERSIONS = ("ApiVersions", 18, 3), ("ApiVersions", 18, 0)
# Error codes. After a retriable one, the topic, a leader or the coordinator is not there yet, or
# elsewhere.
REBALANCE_IN_PROGRESS, UNSUPPORTED_VERSION, MEMBER_ID_REQUIRED = 27, 35, 79
RETRIABLE = (3, 5, 6, 14, 15, 16)
Address = tuple[str, int]


class KafkaError(Exception):
    """An error code of a response."""

    def __init__(self, code: int, api: str) -> None:
        super().__init__(f"{api}: error code {code}")
        self.code = code


def check(code: int, api: str) -> None:
    if code:
        raise KafkaError(code, api)


# A form describes fields: b, h, i and q are INT8 to INT64, s is a string, B is bytes, and [...] an
# array.


def fields(form: str) -> Iterator[str]:
    """The fields of a form: "h", "s" and "[is]" for "hs[is]"."""
    while form:
        end = depth = 0
        while not end or depth:
            depth += (form[end] == "[") - (form[end] == "]")
            end += 1
        yield form[:end]
        form = form[end:]


def encode(form: str, *values: Any) -> bytes:
    """Encode values: big-endian, with lengths before strings, bytes and arrays; null has the length
    -1."""
    out = b""
    for field, value in zip(fields(form), values, strict=True):
        if field == "s":
            data = b"" if value is None else value.encode()
            out += struct.pack(">h", -1 if value is None else len(data)) + data
        elif field == "B":
            out += struct.pack(">i", len(value)) + value
        elif field[0] == "[":
            out += struct.pack(">i", -1 if value is None else len(value))
            out += b"".join(encode(field[1:-1], *row) for row in value or ())
        else:
            out += struct.pack(f">{field}", value)
    return out


def varint(number: int) -> bytes:
    """A number inside a record: zigzag, then seven bits in each byte, lowest first."""
    number = number << 1 ^ number >> 63
    out = b""
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


class Reader:
    """Reads bytes from the front."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, size: int) -> bytes:
        self.at += size
        return self.data[self.at - size : self.at]

    def decode(self, form: str) -> list[Any]:
        """The values of a form; a null is empty."""
        values: list[Any] = []
        for field in fields(form):
            if field == "s":
                values.append(self.take(max(self.decode("h")[0], 0)).decode())
            elif field == "B":
                values.append(self.take(max(self.decode("i")[0], 0)))
            elif field[0] == "[":
                values.append([self.decode(field[1:-1]) for _ in range(self.decode("i")[0])])
            else:
                values += struct.unpack(f">{field}", self.take(struct.calcsize(field)))
        return values

    def unsigned_varint(self) -> int:
        number = shift = 0
        while True:
            (byte,) = self.take(1)
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return number
            shift += 7

    def varint(self) -> int:
        number = self.unsigned_varint()
        return number >> 1 ^ -(number & 1)

    def nullable(self) -> bytes | None:
        """The key or value of a record."""
        size = self.varint()
        return None if size < 0 else self.take(size)


class Connection:
    """A connection to one broker, with the versions that it serves."""

    def __init__(self, address: Address, login: tuple[str, str, str] | None) -> None:
        self.socket = socket.create_connection(address, timeout=60)
        self.input = self.socket.makefile("rb")
        self.correlation = 0
        self.versions = self.negotiate()
        if login is not None:
            self.authenticate(*login)

    def send(self, api: tuple[str, int, int], body: bytes) -> Reader:
        """Send a request, and wait for its response; the body of the response is returned."""
        _, key, version = api
        self.correlation += 1
        header = encode("hhis", key, version, self.correlation, "first-client")
        if api == API_VERSIONS:
            header += b"\0"  # header version 2: no tagged fields
        self.socket.sendall(encode("B", header + body))
        length = self.input.read(4)
        response = Reader(self.input.read(struct.unpack(">i", length)[0] if length else 0))
        if not response.data:
            raise SystemExit("the broker has closed the connection")
        if response.decode("i") != [self.correlation]:
            raise SystemExit("the response belongs to another request")
        return response

    def call(self, api: tuple[str, int, int], body: bytes, form: str) -> list[Any]:
        """Send a request in a version that the broker serves, and decode the response."""
        name, key, version = api
        low, high = self.versions.get(key, (0, -1))
        if not low <= version <= high:
            raise SystemExit(f"the broker does not serve version {version} of {name}")
        return self.send(api, body).decode(form)

    def negotiate(self) -> dict[int, tuple[int, int]]:
        """The lowest and highest version of each API: by ApiVersions 3, or else by version 0."""
        # Two compact strings, whose lengths are one more than their bytes, and no tagged fields.
        response = self.send(API_VERSIONS, b"\x0dfirst-client\x041.0\0")
        (code,) = response.decode("h")
        if code == UNSUPPORTED_VERSION:
            code, rows = self.send(OLD_API_VERSIONS, b"").decode("h[hhh]")
        elif not code:
            # A compact array; after each row, and at the end, there may be tagged fields.
            rows = [response.decode("hhhb") for _ in range(response.unsigned_varint() - 1)]
        check(code, "ApiVersions")
        return {row[0]: (row[1], row[2]) for row in rows}

    def authenticate(self, mechanism: str, user: str, password: str) -> None:
        """Log in by PLAIN, or by SCRAM-SHA-256 (RFC 5802)."""
        code, enabled = self.call(SASL_HANDSHAKE, encode("s", mechanism), "h[s]")
        if code:
            raise SystemExit(f"{mechanism} is not enabled, but {enabled}")
        if mechanism == "PLAIN":
            self.token(f"\0{user}\0{password}")
            return
        nonce = base64.b64encode(os.urandom(18)).decode()
        first = f"n={user.replace('=', '=3D').replace(',', '=2C')},r={nonce}"
        challenge = self.token(f"n,,{first}")
        parts = dict(part.split("=", 1) for part in challenge.split(","))
        if not parts["r"].startswith(nonce):
            raise SystemExit("the challenge has another nonce")
        salt, iterations = base64.b64decode(parts["s"]), int(parts["i"])
        salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, iterations)
        last = f"c=biws,r={parts['r']}"
        signed = f"{first},{challenge},{last}".encode()
        client_key = hmac.digest(salted, b"Client Key", "sha256")
        signature = hmac.digest(hashlib.sha256(client_key).digest(), signed, "sha256")
        proof = bytes(a ^ b for a, b in zip(client_key, signature, strict=True))
        answer = self.token(f"{last},p={base64.b64encode(proof).decode()}")
        server = hmac.digest(hmac.digest(salted, b"Server Key", "sha256"), signed, "sha256")
        if answer != f"v={base64.b64encode(server).decode()}":
            raise SystemExit("the broker does not know the password")

    def token(self, text: str) -> str:
        code, message, token = self.call(SASL_AUTHENTICATE, encode("B", text.encode()), "hsB")
        if code:
            raise SystemExit(f"the login failed: {message}")
        return bytes(token).decode()


def crc_table() -> Iterator[int]:
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        yield byte


CRC_TABLE = tuple(crc_table())


def crc32c(data: bytes) -> int:
    """The checksum of a batch, CRC-32C. The CRC-32 of zlib is different."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def write_batch(records: Sequence[tuple[bytes | None, bytes]]) -> bytes:
    """A batch of (key, value) records, all with the current time."""
    now, body = int(time.time() * 1000), b""
    for number, (key, value) in enumerate(records):
        # Attributes, distance to the first timestamp, distance to the first offset.
        record = b"\0" + varint(0) + varint(number)
        record += varint(-1) if key is None else varint(len(key)) + key
        record += varint(len(value)) + value + varint(0)  # no headers
        body += varint(len(record)) + record
    # Producer ID, epoch and sequence are -1: this is not an idempotent producer.
    after = struct.pack(">hiqqqhii", 0, len(records) - 1, now, now, -1, -1, -1, len(records)) + body
    # The broker sets base offset and leader epoch; the length counts what follows it, the checksum
    # `after`.
    return struct.pack(">qiibI", 0, len(after) + 9, -1, 2, crc32c(after)) + after


def read_batches(data: bytes) -> Iterator[tuple[int, bytes | None, bytes | None]]:
    """Offset, key and value of each record. The last batch may be cut off: the next fetch has all
    of it."""
    reader = Reader(data)
    while len(data) - reader.at >= 12:
        base, size = reader.decode("qi")
        if len(data) - reader.at < size:
            return
        batch = Reader(reader.take(size))
        _, magic, crc = batch.decode("ibI")
        if magic != 2 or crc != crc32c(batch.data[batch.at :]):
            raise SystemExit(f"a batch has format {magic}, or a wrong checksum")
        attributes, *_, count = batch.decode("hiqqqhii")
        if attributes & 0x07:
            raise SystemExit("the records are compressed")
        for _ in range(count):
            record = Reader(batch.take(batch.varint()))
            record.take(1)
            record.varint()
            offset = base + record.varint()
            if not attributes & 0x20:  # else the batch is the marker of a transaction
                yield offset, record.nullable(), record.nullable()


def murmur2(data: bytes) -> int:
    """The hash by which clients of Kafka choose the partition of a key."""
    mix, mask, whole = 0x5BD1E995, 0xFFFFFFFF, len(data) & ~3
    number = 0x9747B28C ^ len(data)
    for at in range(0, whole, 4):
        part = int.from_bytes(data[at : at + 4], "little") * mix & mask
        number = number * mix & mask ^ (part ^ part >> 24) * mix & mask
    if whole < len(data):
        number = (number ^ int.from_bytes(data[whole:], "little")) * mix & mask
    number = (number ^ number >> 13) * mix & mask
    return number ^ number >> 15


class Client:
    """A client of a cluster, which connects to each broker once."""

    def __init__(self, bootstrap: Address, login: tuple[str, str, str] | None = None) -> None:
        self.bootstrap, self.login = bootstrap, login
        self.connections: dict[Address, Connection] = {}

    def call(
        self, address: Address, api: tuple[str, int, int], body: bytes, form: str
    ) -> list[Any]:
        if address not in self.connections:
            self.connections[address] = Connection(address, self.login)
        return self.connections[address].call(api, body, form)

    def leaders(self, *topics: str) -> dict[str, dict[int, Address]]:
        """The address of the leader of each partition, by topic; without an argument, of all
        topics."""
        body = encode("[s]b", [(topic,) for topic in topics] if topics else None, 1)
        form = "i[isis]si[hsb[hii[i][i]]]"
        _, rows, _, _, described = self.call(self.bootstrap, METADATA, body, form)
        brokers = {node: (host, port) for node, host, port, _ in rows}
        leaders: dict[str, dict[int, Address]] = {}
        for code, topic, _, partitions in described:
            for error in (code, *(row[0] for row in partitions if row[2] not in brokers)):
                check(error, f"Metadata of {topic}")
            leaders[topic] = {
                index: brokers[leader] for _, index, leader, _, _ in sorted(partitions)
            }
        return leaders

    def produce(self, topic: str, records: Sequence[tuple[bytes | None, bytes]]) -> dict[int, int]:
        """Write records; the offset of the first one in each partition."""
        leaders = retry(lambda: self.leaders(topic))[topic]
        any_partition = int.from_bytes(os.urandom(4), "big") % len(leaders)
        batches: dict[int, list[tuple[bytes | None, bytes]]] = {}
        for key, value in records:
            # The sign bit of the hash does not count.
            partition = any_partition if key is None else (murmur2(key) & 0x7FFFFFFF) % len(leaders)
            batches.setdefault(partition, []).append((key, value))
        offsets = {}
        for partition, batch in batches.items():
            # No transaction; all in-sync replicas must have the batch (-1), within ten seconds.
            rows = [(topic, [(partition, write_batch(batch))])]
            body = encode("shi[s[iB]]", None, -1, 10_000, rows)
            answer, _ = self.call(leaders[partition], PRODUCE, body, "[s[ihqq]]i")
            ((_, ((_, code, offsets[partition], _),)),) = answer
            check(code, f"Produce to {topic}-{partition}")
        return offsets

    def first_offset(self, topic: str, partition: int, leader: Address) -> int:
        """The offset of the oldest record; timestamp -2 stands for it, and -1 for the end."""
        body = encode("i[s[iq]]", -1, [(topic, [(partition, -2)])])
        (((_, ((_, code, _, offset),)),),) = self.call(leader, LIST_OFFSETS, body, "[s[ihqq]]")
        check(code, f"ListOffsets of {topic}-{partition}")
        return int(offset)

    def fetch(self, topic: str, partition: int, offset: int, leader: Address) -> Iterator[Any]:
        """The next records, with their offsets; none if there are none within half a second."""
        body = encode(
            "iiiib[s[iqi]]", -1, 500, 1, 1 << 20, 0, [(topic, [(partition, offset, 1 << 20)])]
        )
        _, answer = self.call(leader, FETCH, body, "i[s[ihqq[qq]B]]")
        ((_, ((_, code, _, _, _, data),)),) = answer
        check(code, f"Fetch of {topic}-{partition}")
        # A batch is delivered whole, so it may begin before the offset.
        return (record for record in read_batches(data) if record[0] >= offset)

    def consume(self, topic: str) -> Iterator[tuple[int, int, bytes | None, bytes | None]]:
        """Partition, offset, key and value of all records, from the first one on, without a
        group."""
        leaders = retry(lambda: self.leaders(topic))[topic]
        offsets = {number: self.first_offset(topic, number, leaders[number]) for number in leaders}
        while True:
            for number, leader in leaders.items():
                for offset, key, value in self.fetch(topic, number, offsets[number], leader):
                    offsets[number] = offset + 1
                    yield number, offset, key, value


class Member:
    """A member of a consumer group that reads one topic."""

    def __init__(self, client: Client, group: str, topic: str) -> None:
        self.client, self.group, self.topic = client, group, topic
        self.id, self.generation, self.beat = "", -1, 0.0
        self.leaders: dict[int, Address] = {}
        self.offsets: dict[int, int] = {}
        self.coordinator: Address = retry(self.find)

    def find(self) -> Address:
        body = encode("sb", self.group, 0)
        _, code, _, _, *address = self.client.call(
            self.client.bootstrap, FIND_COORDINATOR, body, "ihsisi"
        )
        check(code, "FindCoordinator")
        return address[0], address[1]

    def call(self, api: tuple[str, int, int], body: bytes, form: str) -> list[Any]:
        return self.client.call(self.coordinator, api, body, form)

    def join(self) -> None:
        """Wait until all members have joined, and then for the partitions that the leader
        assigns."""
        subscription = encode("h[s]i", 0, [(self.topic,)], -1)
        body = encode(
            "siiss[sB]", self.group, 10_000, 20_000, self.id, "consumer", [("range", subscription)]
        )
        _, code, self.generation, _, leader, self.id, members = self.call(
            JOIN_GROUP, body, "ihisss[sB]"
        )
        if code == MEMBER_ID_REQUIRED:
            return self.join()
        check(code, "JoinGroup")
        self.leaders = retry(lambda: self.client.leaders(self.topic))[self.topic]
        rows = self.assign(sorted(row[0] for row in members)) if leader == self.id else []
        body = encode("sis[sB]", self.group, self.generation, self.id, rows)
        code, assignment = self.call(SYNC_GROUP, body, "hB")
        check(code, "SyncGroup")
        _, topics, _ = Reader(assignment).decode("h[s[i]]i") if assignment else (0, [], 0)
        self.offsets = self.committed([row for _, partitions in topics for row in partitions])
        self.beat = time.monotonic()
        return None

    def assign(self, members: Sequence[str]) -> list[tuple[str, bytes]]:
        """As the range assignor does: partitions in a row, and one more for the first members."""
        each, more = divmod(len(self.leaders), len(members))
        rows, start = [], 0
        for place, member in enumerate(members):
            end = start + each + (place < more)
            own = [(number,) for number in sorted(self.leaders)[start:end]]
            rows.append((member, encode("h[s[i]]i", 0, [(self.topic, own)], -1)))
            start = end
        return rows

    def committed(self, partitions: list[list[int]]) -> dict[int, int]:
        """The committed offsets, or those of the first records."""
        body = encode("s[s[i]]", self.group, [(self.topic, partitions)])
        (answer,) = self.call(OFFSET_FETCH, body, "[s[iqsh]]")
        offsets = {}
        for number, offset, _, code in (row for _, rows in answer for row in rows):
            check(code, "OffsetFetch")
            first = offset < 0
            leader = self.leaders[number]
            offsets[number] = (
                self.client.first_offset(self.topic, number, leader) if first else offset
            )
        return offsets

    def commit(self) -> None:
        rows = [(number, offset, None) for number, offset in self.offsets.items()]
        body = encode(
            "sisq[s[iqs]]", self.group, self.generation, self.id, -1, [(self.topic, rows)]
        )
        (answer,) = self.call(OFFSET_COMMIT, body, "[s[ih]]")
        for code in (row[1] for _, rows in answer for row in rows):
            check(code, "OffsetCommit")

    def heartbeat(self) -> None:
        if time.monotonic() - self.beat > 3:
            body = encode("sis", self.group, self.generation, self.id)
            (code,) = self.call(HEARTBEAT, body, "h")
            check(code, "Heartbeat")
            self.beat = time.monotonic()

    def consume(self) -> Iterator[tuple[int, int, bytes | None, bytes | None]]:
        """The records of this member, which joins again whenever the group rebalances."""
        while True:
            try:
                if self.generation < 0:
                    self.join()
                for number in self.offsets:
                    self.heartbeat()
                    records = self.client.fetch(
                        self.topic, number, self.offsets[number], self.leaders[number]
                    )
                    for offset, key, value in records:
                        self.offsets[number] = offset + 1
                        yield number, offset, key, value
                if not self.offsets:
                    time.sleep(0.5)
                    self.heartbeat()
            except KafkaError as error:
                if error.code != REBALANCE_IN_PROGRESS:
                    raise
                self.commit()
                self.generation = -1

    def leave(self) -> None:
        """Commit what was read, and leave, so that the others get the partitions at once."""
        self.commit()
        self.call(LEAVE_GROUP, encode("ss", self.group, self.id), "h")


def retry(action: Callable[[], Any]) -> Any:
    """What an action returns; it is repeated while a topic, a leader or a coordinator is not there
    yet."""
    for _ in range(30):
        try:
            return action()
        except KafkaError as error:
            if error.code not in RETRIABLE:
                raise
        time.sleep(0.3)
    return action()


def main() -> None:
    parser = argparse.ArgumentParser(description="A small Kafka client.")
    parser.add_argument("broker", metavar="HOST:PORT")
    parser.add_argument("--user")
    parser.add_argument("--mechanism", choices=("SCRAM-SHA-256", "PLAIN"), default="SCRAM-SHA-256")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("topics")
    produce = commands.add_parser("produce")
    produce.add_argument("topic")
    produce.add_argument("records", nargs="+", metavar="[KEY=]VALUE")
    consume = commands.add_parser("consume")
    consume.add_argument("topic")
    consume.add_argument("--group")
    consume.add_argument("--count", type=int, default=sys.maxsize)
    options = parser.parse_args()
    host, _, port = options.broker.rpartition(":")
    login = (
        (options.mechanism, options.user, os.environ["KAFKA_PASSWORD"]) if options.user else None
    )
    client = Client((host, int(port)), login)
    if options.command == "topics":
        for topic, leaders in sorted(client.leaders().items()):
            print(topic, *(f"{number}={host}:{port}" for number, (host, port) in leaders.items()))
    elif options.command == "produce":
        parts = [record.encode().rpartition(b"=") for record in options.records]
        records = [(key if mark else None, value) for key, mark, value in parts]
        for partition, offset in client.produce(options.topic, records).items():
            print(f"partition {partition}: written from offset {offset} on")
    else:
        member = Member(client, options.group, options.topic) if options.group else None
        source = member.consume() if member else client.consume(options.topic)
        for _, record in zip(range(options.count), source, strict=False):
            print(*record, flush=True)
        if member:
            member.leave()


if __name__ == "__main__":
    main()
