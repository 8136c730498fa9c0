"""Help that has other words where the specs are those of a protocol of one's own."""


class Worded(str):
    """A text about the embedded protocol; `own` is the one about any other. Where it is "", it is omitted."""

    __slots__ = ("own",)
    own: str

    def __new__(cls, text: str, own: str) -> "Worded":
        worded = super().__new__(cls, text)
        worded.own = own
        return worded


def own_of(text: str) -> str:
    """The text about another protocol: the same one, unless it has other words for it."""
    return text.own if isinstance(text, Worded) else text
