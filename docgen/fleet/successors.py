"""Whether a client that the target cuts off is still in use, or was upgraded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum

from wirebook.docgen.fleet.uses import Client, UsedVersion
from wirebook.live.fleet.requests import METRICS, OTHER
from wirebook.live.fleet.verdicts import Status

QUIET_DAYS = 7
_APART = timedelta(days=1)


class CutOffState(StrEnum):
    """What is known about a client that is cut off; the most urgent first."""

    ACTIVE = "active"
    QUIET = "quiet"
    UPGRADED = "upgraded"


class Successors:
    """Clients that the target serves, by client id and principal, with their last requests."""

    def __init__(self) -> None:
        self.by_name: dict[tuple[str, str, str], list[tuple[datetime, Client]]] = defaultdict(list)

    def of(self, client: Client, refused: datetime | None) -> Client | None:
        """The client that sent requests under the same names a day after the last refused one, or None."""
        if refused is None or client.client_id in ("", OTHER, METRICS):
            return None
        candidates = [use for use in self.by_name.get(_name(client), ()) if use[0] - refused >= _APART]
        return max(candidates)[1] if candidates else None


def successors(
    by_client: Mapping[Client, list[UsedVersion]], worst: Mapping[Client, Status | None]
) -> Successors:
    """The clients that cut-off ones may have been upgraded to."""
    uses_by_client = Successors()
    for client, status in worst.items():
        last = max((use.last for use in by_client[client] if use.last is not None), default=None)
        if status in (Status.SERVED, Status.DEPRECATED) and last is not None:
            uses_by_client.by_name[_name(client)].append((last, client))
    return uses_by_client


def _name(client: Client) -> tuple[str, str, str]:
    return client.client_id, client.principal, client.owner
