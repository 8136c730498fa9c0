"""A waiver is valid until its expiry date.

## What it does
Reports a waiver whose `expires` is before today and which would still match a finding. The finding
counts again, unless another waiver accepts it.

## Why it breaks
What was accepted temporarily is still there, and nobody has agreed that it may stay.

## When it is fine
Never: the date was set on purpose.

## Do instead
Fix the finding, or agree on a new date with those who accepted it.

## Example
```diff
@@ waivers.toml @@
  [[waiver]]
  rule = "tag-reused"
- expires = 2026-06-30
+ expires = 2026-12-31
```
"""

from wirebook.rules.rule import Category, Hits, Severity, rule


@rule(Category.POLICY, "waivers.toml", Severity.WARNING)
def expired_waiver(_: None) -> Hits:
    yield from ()
