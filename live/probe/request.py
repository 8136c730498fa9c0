"""A probe as `wirebook probe` takes it: brokers and how to log in to them in, a document out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from wirebook.live.negotiation.peers import Documentation
from wirebook.live.probe.address import Address
from wirebook.live.probe.comparison import Doc, document
from wirebook.live.probe.probe import probe_brokers
from wirebook.live.probe.session import Answer, Settings


@dataclass(frozen=True)
class ProbeRequest:
    """Which brokers to probe, the documentation that marks versions, and how to connect."""

    brokers: tuple[Address, ...]
    documentation: Documentation
    settings: Settings = field(default_factory=Settings)


@dataclass(frozen=True)
class ProbeResult:
    """The answers, and the same compared with releases as a document (wirebook/probe/1)."""

    answers: Sequence[Answer]
    document: Doc

    @property
    def failed(self) -> bool:
        """Whether a broker did not answer."""
        return bool(self.document["summary"]["failed"])

    @property
    def alike(self) -> bool:
        """Whether all brokers that answered list the same versions."""
        return bool(self.document["summary"]["alike"])


def probe(request: ProbeRequest) -> ProbeResult:
    """Probe the brokers, all at once; what fails is in their answers."""
    answers = probe_brokers(request.brokers, request.settings)
    return ProbeResult(answers, document(answers, request.documentation))
