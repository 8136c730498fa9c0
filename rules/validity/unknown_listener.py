"""A listener is one that the protocol defines.

## What it does
Reports a name in `listeners` that is not among those of the profile of the protocol. A profile
without `listeners` allows any.

## Why it breaks
Strict readers reject the file, or no server answers the request.

## When it is fine
If some spec of base or of the newest release uses it, as on a branch of an older release: the tools
of that repository accept it. Also if the `history` removes every version: a removed listener stays
part of the definition.

## Do instead
Use the names that the profile gives to the servers that answer the request, or add the new name to
it.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
-   "flexibleVersions": "1+", "listeners": ["gateway"], "fields": [] }
+   "flexibleVersions": "1+", "listeners": ["gatewy"], "fields": [] }
```
"""

from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.rules.validity.words import one_of
from wirebook.specs.model import Message


@rule(Category.SPEC, "message format", keys=("listeners",))
def unknown_listener(message: Message) -> Hits:
    allowed = message.profile.listeners
    is_removed = bool(message.history) and all(
        entry.removed and not entry.returned for entry in message.history
    )
    if allowed is None or is_removed:
        return
    for word in dict.fromkeys(message.listeners):
        if word not in allowed:
            yield Hit(
                f'{message.name} names the listener "{word}", which does not exist',
                one_of(word, allowed),
                key="listeners",
                discriminator=word,
            )
