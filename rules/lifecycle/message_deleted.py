"""Never delete the definition of a message.

## What it does
Reports a message that only base has, regardless of its file. Messages are matched by type
and API key, or by type and name, so that a moved or renamed file is not a deletion.

## Why it breaks
Servers and clients of older releases still send it. Without a definition, the meaning of their
bytes is unknown, and the API key appears to be free for another API.

## When it is fine
If no release had it. In specs without a `history`, it is a note if none of its versions was valid
any more, or if a release deprecated all of them, for as long as `deprecated_for` in the
configuration requires. The API key stays taken.

## Do instead
Keep the file with `"validVersions": "none"`, or with `removed` in its history.

## Example
```diff
- { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
-   "flexibleVersions": "1+", "fields": [] }
```
"""

from wirebook.rules.levels import ProtocolLevels
from wirebook.rules.parts import DeletedMessage
from wirebook.rules.rule import UNRELEASED, Category, Hit, Hits, Severity, rule


@rule(Category.POLICY, "KIP-35", per="api")
def message_deleted(deleted: DeletedMessage) -> Hits:
    message = deleted.message
    released = deleted.released
    levels = ProtocolLevels.of(deleted.protocols)
    senders = "no release has it" if message.valid_versions else "none of its versions is valid"
    fix = UNRELEASED
    if released:
        senders = "older peers still send it"
        fix = 'keep the definition, with "validVersions": "none" when support ends'
    key = ""
    free = ""
    if message.api_key is not None:
        key = f" (API key {message.api_key})"
        free = ", and its key appears to be free"
    marks = [mark for at, mark in deleted.deprecated.items() if at in message.valid_versions]
    announced = not message.history and len(marks) == len(message.valid_versions)
    early = ""
    if announced and (first := levels.earliest(marks)):
        announced = False
        early = f", and its deprecation must last {levels.window} first"
        fix = f"delete it from {first} on" if released else fix
    yield Hit(
        f"{message.name}{key} is deleted: {senders}{free}{early}",
        fix,
        frozenset(message.valid_versions) or frozenset(released) or None,
        severity=Severity.INFO if announced else None,
    )
