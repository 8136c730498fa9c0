"""The key of a coordinator record has only version 0 and is not flexible.

## What it does
Reports a message of type `coordinator-key` whose `validVersions` are not 0 or whose
`flexibleVersions` are not none.

## Why it breaks
Log compaction compares these keys byte for byte: a second encoding of the same key would keep the
old record next to the new one. Strict readers reject the file.

## When it is fine
The value may have any number of versions.

## Do instead
Use a new API key for a new form.

## Example
```diff
  { "apiKey": 0, "type": "coordinator-key", "name": "FooKey", "validVersions": "0",
-   "flexibleVersions": "none", "fields": [] }
+   "flexibleVersions": "0+", "fields": [] }
```
"""

from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.specs.kafka import KAFKA
from wirebook.specs.model import Message
from wirebook.specs.versions import Versions


@rule(Category.SPEC, "message format", family=KAFKA)
def coordinator_key_versions(message: Message) -> Hits:
    if message.type != "coordinator-key" or not message.valid_versions:
        return
    wrong = {}
    if message.valid_versions != Versions(0, 0):
        wrong["validVersions"] = "0"
    if message.flexible_versions:
        wrong["flexibleVersions"] = "none"
    for key, expected in wrong.items():
        yield Hit(
            f'"{key}" of {message.name} is not {expected}: keys are compared by their bytes, and '
            "must have one form",
            f'write "{key}": "{expected}", and use a new API key for a new form',
            key=key,
            discriminator=key,
        )
