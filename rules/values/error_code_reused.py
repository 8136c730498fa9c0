"""error-code-reused: an error code gets another meaning."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.numbers import Broken
from wirebook.rules.pairs.tables import ErrorsPair
from wirebook.rules.rule import Hit, Per, rule
from wirebook.rules.severity import Category, Severity


@rule(on=ErrorsPair, category=Category.POLICY, source="KIP-35", per=Per.ENTRY)
def error_code_reused(pair: ErrorsPair) -> Iterator[Hit]:
    """An error code keeps its name, and a name its code.

    ## What it does
    Compares the tables of error codes that the profiles of both sides name, and those of the releases. It
    reports a code that has another name, even if the code was removed in between, and a name that moves to
    another code; codes that are swapped or shifted together are reported once. Former names count, too.

    ## Why it breaks
    Responses carry only the number. Clients of older releases handle it as the error that it used to be: they
    retry what cannot succeed, or give up on what would.

    ## When it is fine
    A renamed code lists its old name in `former_names`, and keeps those that it has. It is a warning if no
    release has the code. The description of a code (`about`, `retriable`, `apis`) may change.

    ## Do instead
    Keep the code as it is, and give the new error the next free number. If only the name changes, add the old
    one to `former_names`.

    ## Example
    ```diff
    @@ errors.json @@
      { "schema": "wirebook/errors/1", "errors": [
        { "code": 0, "name": "NONE", "retriable": false, "first_release": "1.0", "about": "No error." },
    -   { "code": 1, "name": "ASLEEP", "retriable": true, "first_release": "1.0", "about": "Wait." }
    +   { "code": 1, "name": "UNKNOWN", "retriable": false, "first_release": "2.0", "about": "Stop." }
      ] }
    ```
    """
    for each in pair.broken[0]:
        yield reused(each, "error code", None)


def reused(
    broken: Broken,
    kind: str,
    versions: frozenset[int] | None,
    suffix: str = "",
    former_key: str = "former_names",
) -> Hit:
    """The hit for a number that has another meaning; `kind` describes it, `former_key` lists former names."""
    old, new = broken.old, broken.new
    assert new is not None
    was = f"is {old.name} in release {broken.release}" if broken.previous is None else f"was {old.name}"
    if broken.is_moved:
        message = (
            f"{kind} {old.words} {was}, which is now {new.words}: older peers know it only as {old.words}"
        )
        fix = f"keep {old.name} as {old.words}"
    else:
        message = f"{kind} {old.words} {was} and is now {new.name}: older peers read {new.name} as {old.name}"
        unused = "a number" if old.bit is None else "a bit"
        fix = (
            f"keep {old.words} for {old.name}, and give {new.name} {unused} that no release has used; "
            f'if only the name changes, list {old.name} in its "{former_key}"'
        )
    if broken.others:
        more = "1 more number changes" if broken.others == 1 else f"{broken.others} more numbers change"
        message += f"; {more} with it"
    return Hit(
        message + suffix,
        fix,
        versions=versions,
        severity=Severity.WARNING if broken.release is None else Severity.ERROR,
        place=new.place,
        previous_place=broken.previous,
        released_in=broken.release or None,
        discriminator=broken.discriminator,
    )
