"""struct-copies-differ: copies of one struct in several specs become different."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.copies import CopiedStruct
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category, Severity
from wirebook.specs.printable import enumerated


@rule(on=CopiedStruct, category=Category.SET, source="message format", severity=Severity.INFO)
def struct_copies_differ(copied: CopiedStruct) -> Iterator[Hit]:
    """A struct that several specs define stays the same in all of them.

    ## What it does
    Reports a struct that specs of several messages define with the same name and the same fields, if a change
    makes one of these copies different. Structs with a single field are not compared. Neither are those of
    a protocol whose format has no shared structs.

    ## Why it breaks
    Peers are not affected. But code that treats the copies as one type no longer fits all messages, and a
    field that only one copy got is often missing from the others by mistake.

    ## When it is fine
    If the messages need different structs from now on. This is a note: it never fails a check.

    ## Do instead
    Make the same change in all copies, or define the struct once, in a file of structs that all specs import.

    ## Example
    ```diff
    @@ FooRequest.json @@
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
        { "name": "Self", "type": "Endpoint", "versions": "0+", "fields": [
          { "name": "Host", "type": "string", "versions": "0+" },
    -     { "name": "Port", "type": "int32", "versions": "0+" }
    +     { "name": "Port", "type": "int32", "versions": "0+" },
    +     { "name": "Rack", "type": "string", "versions": "3+" }
        ] }
      ] }
    @@ FooResponse.json @@
      { "apiKey": 900, "type": "response", "name": "FooResponse", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
        { "name": "Members", "type": "[]Endpoint", "versions": "0+", "fields": [
          { "name": "Host", "type": "string", "versions": "0+" },
          { "name": "Port", "type": "int32", "versions": "0+" }
        ] }
      ] }
    ```
    """
    names = [other.name for other in copied.others]
    others = enumerated(names)
    fields = ", ".join(copied.differing) or "the order of its fields"
    yield Hit(
        f"{copied.name} had the same fields in {copied.new.name} and {others}, and now differs: {fields}",
        f"make the same change in {others}, or define {copied.name} once, in a file that all of them import",
        at=copied.written.position,
        discriminator=copied.name,
        of=copied.new,
        values=(copied.name, *names, *copied.differing),
    )
