"""Selects messages of a protocol by a name, and names the nearest if there is none."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.profile import HALVES


def select(protocol: Protocol, name: str, where: str) -> tuple[Message, ...]:
    """The messages that `name` means: an API by name or key, or one message. Raises InputError with
    the nearest names if there are none."""
    message = protocol.find(name)
    messages = protocol.api(name) or (() if message is None else (message,))
    if not messages:
        raise unknown_name(protocol, name, where)
    return messages


def unknown_name(messages: Iterable[Message], name: str, where: str) -> InputError:
    """The error for a name that no message has; `where` describes the messages."""
    every = tuple(messages)
    names = sorted({message.api for message in every} | {message.name for message in every})
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    if not near:
        near = [each for each in names if name and name.casefold() in each.casefold()][:3]
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    if name.isdecimal():
        keys = sorted({message.api_key for message in every if message.api_key is not None})
        hint = f"; its API keys are {', '.join(map(str, keys))}" if keys else ""
    return InputError(f'there is no API or message "{name}" in {where}{hint}')


def select_message(protocol: Protocol, name: str, where: str) -> Message:
    """The message with this name, ignoring case, or with this name and its ending.

    The name of a message takes precedence over that of an API: they are the same where the ending
    of one half is empty. Raises InputError, which calls the protocol `where`, for an unknown name
    and for an API, which has several messages.
    """
    named = protocol.find(name)
    if named is not None:
        return named
    first, *others = select(protocol, name, where)
    if others or first.type in HALVES:
        names = " or ".join(message.name for message in (first, *others))
        raise InputError(f'"{name}" is an API; name its message: {names}')
    return first


def newest(message: Message) -> int:
    """The newest stable version, or else the newest version. Raises InputError if there is none."""
    valid = message.valid_versions
    if not valid:
        raise InputError(f"{message.name} no longer has a version: its valid versions are none")
    unstable = message.latest_version_unstable and valid.highest > valid.lowest
    return valid.highest - 1 if unstable else valid.highest
