"""Flexible versions are open-ended.

## What it does
Reports `flexibleVersions` that are neither `none` nor end with a plus sign.

## Why it breaks
Once a message is flexible, all later versions are: a non-flexible one would have no place for
existing tagged fields. Strict readers reject the file.

## When it is fine
`none`, for a message that was never flexible.

## Do instead
Write the first flexible version with a plus sign.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
-   "flexibleVersions": "1+", "fields": [] }
+   "flexibleVersions": "1-1", "fields": [] }
```
"""

from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.specs.model import Message


@rule(Category.SPEC, "KIP-482")
def flexible_versions_closed(message: Message) -> Hits:
    flexible = message.flexible_versions
    if flexible and not flexible.open:
        yield Hit(
            f"{message.name} is flexible only in versions {flexible}, and not in later ones",
            f'write "flexibleVersions": "{flexible.lowest}+"',
            key="flexibleVersions",
        )
