"""A waiver matches an existing finding.

## What it does
Reports a waiver that matches no finding although its message was checked, and one that names the
rule and the place of a finding, but not its exact change.

## Why it breaks
Nothing breaks today. But the waiver silently accepts the same mistake when somebody makes it again.
A waiver of one change does not accept another one of the same field.

## When it is fine
If the check compares with a commit that already contains the accepted change: a waiver is needed
only until its change is merged.

## Do instead
Remove the waiver; version control keeps who accepted what.

## Example
```diff
@@ waivers.toml @@
- [[waiver]]
- rule = "tag-reused"
- message = "FooRequest"
- field = "Weight"
```
"""

from wirebook.rules.rule import Category, Hits, Severity, rule


@rule(Category.POLICY, "waivers.toml", Severity.WARNING)
def stale_waiver(_: None) -> Hits:
    yield from ()
