"""Determines which versions are frozen for a check: by the released baselines, or else by the old side."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from wirebook.rules.pairs.kinds import MessagePair, PairReleases
from wirebook.rules.released import Released, ReleasedMessage, released_message_of
from wirebook.specs.model import Message, Protocol

if TYPE_CHECKING:
    from wirebook.rules.levels import ProtocolLevels


class Frozen:
    """The released versions and the specs that released them, from baselines or else from the old side.

    `levels` are the protocol levels that the history of a message may name.
    """

    def __init__(
        self,
        released: Released | None,
        old: Protocol | None,
        levels: ProtocolLevels | None = None,
    ) -> None:
        self.all = released
        self.old = old
        self.levels = levels
        self.unstable = {} if old is None else unstable_tops(old)

    def released(self, message: Message, old: Message | None = None) -> dict[int, str]:
        """The frozen versions of a message, each with the first release that had it stable."""
        if self.all is None:
            if old is None:
                return {}
            top = self.unstable.get(old.identity)
            return {version: "" for version in old.valid_versions if version != top}
        return self.all.versions(message.identity)

    def deleted(self, old: Message) -> dict[int, str]:
        """The frozen versions of a message that only the old side has.

        The key of a record is as frozen as its value: releases have another version of it there, the type of
        the record.
        """
        released = self.released(old, old)
        if released or old.type != "coordinator-key":
            return released
        values = (
            message
            for message in self.old or ()
            if message.type == "coordinator-value" and message.api_key == old.api_key
        )
        first = next((release for value in values for release in self.released(value, value).values()), None)
        return {} if first is None else dict.fromkeys(old.valid_versions, first)

    def deprecated(self, old: Message) -> dict[int, str]:
        """The versions of a message that a release deprecated, each with the first such release.

        Without baselines, those that the old side marks (for a response, on its request).
        """
        if self.all is not None:
            return self.all.deprecated(old.identity)
        halves = [
            message
            for message in self.old or ()
            if message.type == "request" and message.api_key == old.api_key and old.type == "response"
        ]
        return {
            version: ""
            for half in (*halves, old)
            for version in half.deprecated_versions & half.valid_versions
        }

    def pair(self, old: Message, new: Message) -> MessagePair:
        """The pair with its released specs, without the old side itself."""
        texts = None if self.all is None else partial(self.all.specs, old.identity)
        return MessagePair(
            old,
            new,
            PairReleases(
                self.released(old, old),
                self._unlike(old),
                self.unstable.get(old.identity),
                texts,
                partial(self.deprecated, old),
                self.levels,
            ),
        )

    def _unlike(self, old: Message) -> tuple[ReleasedMessage, ...]:
        """The released specs of a message, without the old side itself."""
        if self.all is None:
            return ()
        others = self.all.released_messages(old.identity)
        own = released_message_of(old) if others else None
        return tuple(message for message in others if message != own)


def unstable_tops(protocol: Protocol) -> dict[tuple[str, int | str], int]:
    """The unstable top version of each message that has one, by identity.

    Specs may mark only the request: the same version of the response is unstable too.
    """
    tops: dict[tuple[str, int | str], int] = {}
    for message in protocol:
        if message.latest_version_unstable and message.valid_versions:
            tops[message.identity] = message.valid_versions.highest
    for message in protocol:
        if message.type == "response" and message.api_key is not None and message.valid_versions:
            top = tops.get(("request", message.api_key))
            if top == message.valid_versions.highest:
                tops[message.identity] = top
    return tops
