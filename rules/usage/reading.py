"""Reads the summary of a fleet, as far as a check needs it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirebook.rules.usage.model import MOST_SENDERS, FleetSender, FleetUse, together
from wirebook.specs.files import read_input
from wirebook.specs.limits import MAX_FLEET
from wirebook.specs.output import FLEET, owned
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions, VersionSet

SCHEMA = "wirebook/fleet/2"
SUMMARY = "summary.json"


@dataclass(frozen=True, slots=True)
class _VersionUse:
    """Who sends one version of an API."""

    api: str
    version: int
    requests: int
    clients: int
    senders: tuple[FleetSender, ...]
    between_servers: bool


@dataclass(frozen=True, slots=True)
class Usage:
    """Who sends what in a fleet, by the keys of APIs.

    `left_out` counts versions that the summary does not list: those with the fewest requests.
    """

    first: str | None
    last: str | None
    left_out: int
    apis: dict[int, tuple[_VersionUse, ...]]

    def of(self, key: int | None, api: str, versions: VersionSet) -> FleetUse | None:
        """Who sends any of some versions of an API; None for an API of a protocol other than the fleet's."""
        if key is None or self.is_other(key, api):
            return None
        sent = [record for record in self.apis.get(key, ()) if record.version in versions]
        senders = together(sender for record in sent for sender in record.senders)
        unnamed = [record for record in sent if record.clients > len(record.senders)]
        return FleetUse(
            api=api,
            versions=VersionSet.of(record.version for record in sent),
            requests=sum(record.requests for record in sent),
            # Clients that are not named may be the same for several versions.
            clients=max([len(senders), *(record.clients for record in sent)]),
            senders=tuple(senders[:MOST_SENDERS]),
            first=self.first,
            last=self.last,
            is_least=len(sent) > 1 and bool(unnamed),
            between_servers=bool(sent) and all(record.between_servers for record in sent),
        )

    def is_other(self, key: int, api: str) -> bool:
        """Whether a key belongs to another API in the fleet than in the checked protocol."""
        versions = self.apis.get(key)
        return versions is not None and versions[0].api not in (api, f"API key {key}")

    @property
    def notices(self) -> tuple[str, ...]:
        """Sentences on what the summary leaves out."""
        if not self.left_out:
            return ()
        return (
            f"the fleet has {self.left_out:,} more versions of APIs than its summary lists: a version with "
            "few requests may count as not in use",
        )

    def to_json(self) -> dict[str, Any]:
        """The origin of the use, as wirebook/findings/1 has it."""
        return {"first": self.first, "last": self.last, "left_out": self.left_out}


def read_usage(folder: Path, name: str | None = None) -> Usage:
    """Read who sends what from the output of `wirebook fleet` in a folder; `name` is its display name.

    Raises InputError for another folder, and for a summary that is damaged or of another version.
    """
    label = name or str(folder)
    if not folder.is_dir():
        raise InputError("there is no such folder with the output of wirebook fleet", label)
    if owned(folder, FLEET) is None:
        raise InputError("this is not the output of wirebook fleet", label)
    at = str(Path(label) / SUMMARY)
    try:
        document = json.loads(read_input(folder / SUMMARY, MAX_FLEET, at))
    except (ValueError, RecursionError):
        raise InputError("this is not a summary of a fleet: it is not JSON", at) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", at) from None
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != SCHEMA or "by_version" not in document:
        raise InputError(
            "this summary is of another version of wirebook, and does not list who sends each version; "
            "run wirebook fleet again",
            at,
        )
    try:
        return _usage(document)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"this summary of a fleet is damaged ({type(error).__name__})", at) from None


def _usage(document: dict[str, Any]) -> Usage:
    apis: dict[int, list[_VersionUse]] = {}
    for row in document["by_version"]:
        apis.setdefault(_number(row["api_key"]), []).append(_version(row))
    period = document["period"]
    return Usage(
        _day(period["first"]),
        _day(period["last"]),
        _number(document["by_version_left_out"]),
        {key: tuple(versions) for key, versions in apis.items()},
    )


def _version(row: dict[str, Any]) -> _VersionUse:
    version = _number(row["version"])
    return _VersionUse(
        _text(row["api"]),
        version,
        _number(row["requests"]),
        _number(row["clients"]),
        tuple(_sender(sender, version) for sender in row["senders"]),
        row["between_servers"] is True,
    )


def _sender(row: dict[str, Any], version: int) -> FleetSender:
    names = ("software", "software_version", "client_id", "principal", "owner")
    software, number, client_id, principal, owner = (_text(row[name]) for name in names)
    return FleetSender(
        software,
        number,
        client_id,
        principal,
        owner,
        VersionSet.union(Versions(version, version)),
        _number(row["requests"]),
        _day(row["last_day"]),
        _number(row["last_day_requests"]),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError(value)
    return value


def _day(value: object) -> str | None:
    return None if value is None else _text(value)[:10]
