"""Selects messages of a protocol by the name that somebody gives, and names the nearest if there is none."""

from __future__ import annotations

import difflib

from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.profile import HALVES


def select(protocol: Protocol, name: str, where: str) -> tuple[Message, ...]:
    """The messages that `name` means: an API by name or key, or one message, also without its ending.

    Raises InputError with the nearest names if there is none.
    """
    messages = protocol.api(name)
    if messages:
        return messages
    message = protocol.find(name)
    if message is not None:
        return (message,)
    endings = ((message, message.profile.suffixes.get(message.type, "")) for message in protocol)
    folded = name.casefold()
    stems = [message for message, ending in endings if message.name.casefold() == folded + ending.casefold()]
    if len(stems) == 1:
        return (stems[0],)
    names = sorted({message.api for message in protocol} | {message.name for message in protocol})
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    if not near:
        near = [item for item in names if name and name.casefold() in item.casefold()][:3]
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    if name.isdecimal():
        keys = sorted({message.api_key for message in protocol if message.api_key is not None})
        hint = f"; its API keys are {', '.join(map(str, keys))}" if keys else ""
    raise InputError(f'there is no API or message "{name}" in {where}{hint}')


def select_message(protocol: Protocol, name: str, where: str) -> Message:
    """The message with this name, ignoring case, or with this name and its ending. `where` describes the
    protocol in errors.

    The name of a message takes precedence over that of an API: they are the same where the ending of one half
    is empty. Raises InputError if there is no such message, and for an API, which has several.
    """
    named = protocol.find(name)
    if named is not None:
        return named
    first, *others = select(protocol, name, where)
    if others or first.type in HALVES:
        names = " or ".join(message.name for message in (first, *others))
        raise InputError(f'"{name}" is an API; name its message: {names}')
    return first
