"""The proof that a finding shows: the bytes of a witness, byte by byte, and what the reader makes of them.

Of bytes that prove nothing, no finding may speak: without a witness, a break is an error in the relation or
in the codec, and the check ends with an internal error.
"""

from __future__ import annotations

from collections.abc import Sequence

from wirebook.rules.agreement.breaks import Break
from wirebook.rules.agreement.proof_words import Proof, ProofPart
from wirebook.rules.agreement.relation import Disagreement, Kind, WriterSide, has_one_value
from wirebook.rules.agreement.witness import INDEX, Witness, witness_of
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.layout import Layout, LayoutField, Layouts

# What no body of a message shows: another header, and a name that a tag had.
UNSEEN = (Kind.HEADER, Kind.IDENTITY)
_OLD_PEER, _NEW_PEER = "a peer with the old spec", "a peer with the new spec"
MAX_PROVEN = 4_000  # fields of layouts that proofs of one message search


class UnprovenError(Exception):
    """A disagreement without a witness: a bug in wirebook."""


class Prover:
    """Proves the breaks of one message.

    Of many breaks of a large message, the first ones have a proof of their own, as long as their layouts have
    MAX_PROVEN fields in total. The others follow from where peers begin to misread it, and show that.
    """

    def __init__(self) -> None:
        self.layouts: dict[tuple[int, int], Layout | None] = {}
        self.resolving: dict[int, Layouts] = {}
        self.roots: dict[tuple[int, int, tuple[object, ...]], Proof] = {}
        self.searched = 0

    def proof(self, broken: Break) -> Proof | None:
        """The bytes that show a break at its lowest version; None for what no body of a message shows.

        Raises UnprovenError if there should be some.
        """
        version = min(broken.versions)
        old, new = self._layout(broken.base, version), self._layout(broken.message, version)
        if broken.kind in UNSEEN or old is None or new is None:
            return None
        release = next(filter(None, broken.releases), "") if broken.is_of_release else ""
        names = f"a peer of {release}" if release else _OLD_PEER, _NEW_PEER
        own = Disagreement(broken.kind, broken.edit.writer, (), broken.old, broken.new)
        self.searched += len(old.fields) + len(new.fields)
        root = broken.root if broken.root is not None and broken.root.kind not in UNSEEN else None
        if root is None or self.searched <= MAX_PROVEN:
            try:
                return _labelled(proof_of(own, old, new, names), broken)
            except UnprovenError:
                if any(each is not None and _moves_nothing(each) for each in (own, root)):
                    return None
                if root is None:
                    raise
        # What follows the root is misread by that alone.
        key = (id(broken.base), version, root.key)
        if key not in self.roots:
            self.roots[key] = _labelled(proof_of(root, old, new, names), broken)
        return self.roots[key]

    def _layout(self, message: Message, version: int) -> Layout | None:
        """The layout of a version; None if there is none, or if no message can name its fields.

        Rules on single files report both.
        """
        key = (id(message), version)
        if key not in self.layouts:
            if id(message) not in self.resolving:
                self.resolving[id(message)] = Layouts(message)
            try:
                resolved = self.resolving[id(message)].at(version)
            except InputError:
                self.layouts[key] = None
            else:
                self.layouts[key] = resolved if is_writable(resolved.fields) else None
        return self.layouts[key]


def _labelled(proof: Proof, broken: Break) -> Proof:
    """The proof with the old side as peer of the release, unless it shows a field that the release lacks."""
    paths = (*(part.path for part in proof.parts), proof.path, proof.source)
    if broken.unreleased.isdisjoint(INDEX.sub("", path) for path in paths):
        return proof
    if proof.writer == _NEW_PEER:
        return proof._replace(reader=_OLD_PEER)
    return proof._replace(writer=_OLD_PEER)


def _moves_nothing(disagreement: Disagreement) -> bool:
    """Whether it is about the place of a struct without fields, which has one value, wherever it is."""
    sides = disagreement.first.carried, disagreement.second.carried
    return disagreement.kind is Kind.NAME and all(each is not None and has_one_value(each) for each in sides)


def proof_of(disagreement: Disagreement, old: Layout, new: Layout, names: tuple[str, str]) -> Proof:
    """The proof of a disagreement of two layouts; `names` are those of their peers.

    Raises UnprovenError if no message shows it.
    """
    witness = witness_of(disagreement, old, new)
    if witness is None:
        raise UnprovenError(
            f"no message of version {old.version} of {new.name} shows the disagreement "
            f"({disagreement.kind.value}) on {disagreement.first.path!r} and {disagreement.second.path!r}"
        )
    return _proof(witness, old, new, names)


def is_writable(fields: Sequence[LayoutField]) -> bool:
    """Whether a message and a path can name each field; rules on single files report other names."""
    return len({field.name for field in fields}) == len(fields) and all(
        field.name and "." not in field.name and is_writable(field.fields or ()) for field in fields
    )


def _proof(witness: Witness, old: Layout, new: Layout, names: tuple[str, str]) -> Proof:
    is_new = witness.writer is WriterSide.SECOND
    writer, reader = reversed(names) if is_new else names
    sender = new if is_new else old
    parts = tuple(
        ProofPart(witness.data[span.start : span.end], span.path, span.kind, span.value)
        for span in codec(sender).explain(witness.data)
    )
    error, misread = witness.error, witness.misread
    return Proof(
        version=old.version,
        writer=writer,
        reader=reader,
        message=witness.value,
        parts=parts,
        error=None if error is None else f"{error.path}: {error.message}" if error.path else error.message,
        at=None if error is None else error.offset,
        path=misread.path if misread is not None else "",
        source=misread.source if misread is not None else "",
        written=misread.written if misread is not None else None,
        read=misread.read if misread is not None else None,
        is_sent=misread.is_sent if misread is not None else True,
    )
