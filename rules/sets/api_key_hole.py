"""api-key-hole: API keys that no request has."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category, Severity
from wirebook.rules.rule import Hit, rule
from wirebook.specs.model import Protocol
from wirebook.specs.versions import VersionSet


@rule(on=Protocol, category=Category.SET, source="message format", severity=Severity.INFO)
def api_key_hole(protocol: Protocol) -> Iterator[Hit]:
    """API keys are given out one after the other.

    ## What it does
    Lists the keys between the lowest and the highest that no request has.

    ## Why it breaks
    Nothing breaks. A key left out was skipped by mistake, or belongs to an API whose spec was deleted and
    which old clients still ask for: then it must never be given out again.

    ## When it is fine
    Where fewer keys are there than not, only some of the files are given, and nothing is said.

    ## Do instead
    Keep the spec of an API that is gone, with `"validVersions": "none"`, so that its key stays taken.

    ## Example
    ```diff
    @@ BarRequest.json @@
    + { "apiKey": 901, "type": "request", "name": "BarRequest", "validVersions": "0-2",
    +   "flexibleVersions": "1+", "fields": [] }
    @@ BazRequest.json @@
    + { "apiKey": 903, "type": "request", "name": "BazRequest", "validVersions": "0-2",
    +   "flexibleVersions": "1+", "fields": [] }
    ```
    """
    requests = [message for message in protocol if message.type == "request"]
    keys = {message.api_key for message in requests if message.api_key is not None}
    if not keys:
        return
    holes = VersionSet.of(set(range(min(keys), max(keys))) - keys)
    if 0 < len(holes) < len(keys):
        yield Hit(
            f"no request has API key {holes}",
            'keep the spec of an API that is gone, with "validVersions": "none"',
        )
