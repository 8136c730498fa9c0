"""Forks and other projects with message specs of their own, as `wirebook survey` reports them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from wirebook.specs.kafka.registry import FOLDER

PATH = FOLDER / "vendors.json"


@dataclass(frozen=True, slots=True)
class OwnApi:
    """An API that Apache Kafka never had, or versions of one that it never had."""

    key: int
    name: str
    versions: str


@dataclass(frozen=True, slots=True)
class OwnMessage:
    """A message without an API that Apache Kafka never had, or versions of one that it never had."""

    name: str
    versions: str


@dataclass(frozen=True, slots=True)
class DifferentVersion:
    """A version whose bytes differ from those of Apache Kafka's newest layout of it.

    `status` is "earlier" for bytes that Apache Kafka had in the past, and "other" for bytes that it never had
    in this version; `same_as` is then the version of Apache Kafka that has them, if one does.
    """

    message: str
    version: int
    status: str
    same_as: int | None = None


@dataclass(frozen=True, slots=True)
class VendorStep:
    """The first release of a vendor that is nearest to these of Apache Kafka, and its differences."""

    release: str
    day: str
    nearest: tuple[str, ...]
    other: int
    own: int
    missing: int


@dataclass(frozen=True, slots=True)
class VendorCoverage:
    """How many of the layouts added by a release of Apache Kafka a vendor has, and after how many days."""

    release: str
    layouts: int
    taken: int
    days: int | None


@dataclass(frozen=True, slots=True)
class Vendor:
    """A repository with message specs, at its newest release; `releases` is the glob of its tags.

    `read_until` is the day of the newest commit that was read on the main line.
    """

    name: str
    repository: str
    releases: str
    release: str
    commit: str
    day: str
    read_until: str
    same: int
    earlier: int
    other: int
    own: int
    missing: int
    nearest: tuple[str, ...]
    own_apis: tuple[OwnApi, ...]
    own_messages: tuple[OwnMessage, ...]
    different: tuple[DifferentVersion, ...]
    steps: tuple[VendorStep, ...]
    taken_over: tuple[VendorCoverage, ...]


@dataclass(frozen=True, slots=True)
class Vendors:
    """All vendors, by name, and the release of Apache Kafka that they are compared with."""

    release: str
    day: str
    vendors: tuple[Vendor, ...]


@cache
def all_vendors() -> Vendors:
    """The vendors (vendors.json)."""
    document = json.loads(PATH.read_text(encoding="utf-8"))
    return Vendors(document["release"], document["day"], tuple(map(_vendor, document["vendors"])))


def _vendor(row: Mapping[str, Any]) -> Vendor:
    vendors = {
        "nearest": tuple(row["nearest"]),
        "own_apis": tuple(OwnApi(**api) for api in row["own_apis"]),
        "own_messages": tuple(OwnMessage(**message) for message in row["own_messages"]),
        "different": tuple(DifferentVersion(**version) for version in row["different"]),
        "steps": tuple(VendorStep(**{**step, "nearest": tuple(step["nearest"])}) for step in row["steps"]),
        "taken_over": tuple(VendorCoverage(**coverage) for coverage in row["taken_over"]),
    }
    return Vendor(**{**row, **vendors})
