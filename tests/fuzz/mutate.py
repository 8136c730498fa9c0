"""Mutations that get past checksums and brackets: JSON by its values, archives by what is packed in them."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
import zlib
from collections.abc import Callable
from typing import Any

from tests.fuzz.targets import SPLIT

Mutate = Callable[[bytes, int], bytes]  # of libFuzzer: bytes and the most that may come out

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 7, 32767, 32768, 2**31 - 1, 2**31, 10**30, 1.5, "", "none", "null", "0+",
    "1-2", "0-32767", "3-1", "999999+", "int8", "int32", "[]int32", "[][]int32", "string", "bytes", "records",
    "uuid", "[]Part", "Part", "HostileRequest", "\u202e\x1b[2J", "\ud800", "0x7f", "-0x80", "1e400", [], {},
    [{}], ["zkBroker"],
)  # fmt: skip
KEYS = (
    "name", "type", "versions", "nullableVersions", "taggedVersions", "flexibleVersions", "tag", "default",
    "ignorable", "mapKey", "entityType", "about", "fields", "apiKey", "listeners", "validVersions",
    "deprecatedVersions", "headerVersions", "latestVersionUnstable", "commonStructs", "history", "version",
    "x-a",
)  # fmt: skip


def of_json(data: bytes, most: int, seed: int, mutate: Mutate) -> bytes:
    """A text of JSON, or two with SPLIT between them, in which one value changes; or as libFuzzer has it."""
    chance = random.Random(seed)
    before, split, after = data.rpartition(SPLIT)
    try:
        value = json.loads(after)
    except (ValueError, RecursionError):
        return mutate(data, most)
    if chance.random() < 0.3:
        return mutate(data, most)
    for _ in range(chance.choice((1, 1, 2, 4))):
        value = _changed(value, chance)
    made = before + split + json.dumps(value).encode()
    if not split and chance.random() < 0.2:
        # The text as it was becomes the old side.
        made = after + SPLIT + made
    return made if len(made) <= most else mutate(data, most)


def _changed(value: Any, chance: random.Random) -> Any:
    holders = [value] if isinstance(value, dict | list) else []
    for holder in holders:
        inside = holder.values() if isinstance(holder, dict) else holder
        holders += [item for item in inside if isinstance(item, dict | list)]
    if not holders or chance.random() < 0.01:
        return chance.choice(VALUES)
    holder = chance.choice(holders)
    other = chance.choice(holders)
    # By way of text, so that no value holds itself.
    copied = json.loads(json.dumps(chance.choice((chance.choice(VALUES), other))))
    if isinstance(holder, dict):
        key = chance.choice([*holder, *KEYS])
        if chance.random() < 0.2:
            holder.pop(key, None)
        elif chance.random() < 0.3 and key in holder:
            holder[chance.choice(KEYS)] = holder.pop(key)
        else:
            holder[key] = copied
    elif holder and chance.random() < 0.3:
        chance.shuffle(holder) if chance.random() < 0.5 else holder.pop()
    else:
        holder.insert(chance.randrange(len(holder) + 1), copied)
    return value


_PACKED: tuple[tuple[bytes, Callable[[bytes], bytes], Callable[[bytes], bytes]], ...] = (
    (b"\x1f\x8b", lambda data: zlib.decompressobj(31).decompress(data, 1 << 20),
     lambda data: gzip.compress(data, 1, mtime=0)),
    (b"BZh", lambda data: bz2.BZ2Decompressor().decompress(data, 1 << 20),
     lambda data: bz2.compress(data, 1)),
    (b"\xfd7zXZ", lambda data: lzma.LZMADecompressor(memlimit=64 << 20).decompress(data, 1 << 20),
     lambda data: lzma.compress(data, preset=0)),
)  # fmt: skip


def of_archives(data: bytes, most: int, seed: int, mutate: Mutate) -> bytes:
    """An archive that changes as a whole or inside of what packs it; headers of tars get their checksums."""
    chance = random.Random(seed)
    for magic, unpack, pack in _PACKED:
        if data.startswith(magic) and chance.random() < 0.7:
            try:
                made = pack(_checked(mutate(unpack(data), 1 << 20)))
            except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError):
                break
            return made if len(made) <= most else mutate(data, most)
    made = mutate(data, most)
    return _checked(made) if chance.random() < 0.8 else made


def _checked(data: bytes) -> bytes:
    """The same with right checksums in all that looks like the header of a member of a tar."""
    made = bytearray(data)
    for at in range(0, len(made) - 511, 512):
        if made[at + 257 : at + 262] == b"ustar":
            made[at + 148 : at + 156] = b" " * 8
            made[at + 148 : at + 156] = b"%06o\0 " % sum(made[at : at + 512])
    return bytes(made)
