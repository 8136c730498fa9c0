"""Reads the summary of a fleet, as far as a check needs it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirebook.rules.usage.model import MOST_SENDERS, Sender, Use, together
from wirebook.specs.files import read_input
from wirebook.specs.limits import MAX_FLEET
from wirebook.specs.output import FLEET, owned
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions, VersionSet

SCHEMA = "wirebook/fleet/1"
SUMMARY = "summary.json"


@dataclass(frozen=True, slots=True)
class _Version:
    """Who sends one version of an API."""

    api: str
    version: int
    requests: int
    clients: int
    senders: tuple[Sender, ...]
    between_servers: bool


@dataclass(frozen=True, slots=True)
class Usage:
    """Who sends what in a fleet, by the keys of APIs.

    `left_out` counts versions that the summary does not list: those with the fewest requests.
    """

    first: str | None
    last: str | None
    left_out: int
    apis: dict[int, tuple[_Version, ...]]

    def of(self, key: int | None, api: str, versions: VersionSet) -> Use | None:
        """Who sends any of some versions of an API; None for an API of a protocol other than the fleet's."""
        if key is None or self.is_other(key, api):
            return None
        sent = [item for item in self.apis.get(key, ()) if item.version in versions]
        senders = together(sender for item in sent for sender in item.senders)
        unnamed = [item for item in sent if item.clients > len(item.senders)]
        return Use(
            api=api,
            versions=VersionSet.of(item.version for item in sent),
            requests=sum(item.requests for item in sent),
            # Clients that are not named may be the same for several versions.
            clients=max([len(senders), *(item.clients for item in sent)]),
            senders=tuple(senders[:MOST_SENDERS]),
            first=self.first,
            last=self.last,
            is_least=len(sent) > 1 and bool(unnamed),
            between_servers=bool(sent) and all(item.between_servers for item in sent),
        )

    def is_other(self, key: int, api: str) -> bool:
        """Whether a key belongs to another API in the fleet than in the checked protocol."""
        known = self.apis.get(key)
        return known is not None and known[0].api not in (api, f"API key {key}")

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
    shown = name or str(folder)
    if not folder.is_dir():
        raise InputError("there is no such folder with the output of wirebook fleet", shown)
    if owned(folder, FLEET) is None:
        raise InputError("this is not the output of wirebook fleet", shown)
    at = str(Path(shown) / SUMMARY)
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
    apis: dict[int, list[_Version]] = {}
    for item in document["by_version"]:
        apis.setdefault(_number(item["api_key"]), []).append(_version(item))
    period = document["period"]
    return Usage(
        _day(period["first"]),
        _day(period["last"]),
        _number(document["by_version_left_out"]),
        {key: tuple(versions) for key, versions in apis.items()},
    )


def _version(item: dict[str, Any]) -> _Version:
    version = _number(item["version"])
    return _Version(
        _text(item["api"]),
        version,
        _number(item["requests"]),
        _number(item["clients"]),
        tuple(_sender(sender, version) for sender in item["senders"]),
        item["between_servers"] is True,
    )


def _sender(item: dict[str, Any], version: int) -> Sender:
    names = ("software", "software_version", "client_id", "principal", "owner")
    software, number, client_id, principal, owner = (_text(item[name]) for name in names)
    return Sender(
        software,
        number,
        client_id,
        principal,
        owner,
        VersionSet.union(Versions(version, version)),
        _number(item["requests"]),
        _day(item["last_day"]),
        _number(item["last_day_requests"]),
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
