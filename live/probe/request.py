"""The function behind `wirebook probe`: from brokers and credentials to a report."""

from __future__ import annotations

from dataclasses import dataclass, field

from wirebook.live.negotiation.documentation import Documentation
from wirebook.live.probe.address import Address
from wirebook.live.probe.comparison import ProbeReport, report
from wirebook.live.probe.probe import probe_brokers
from wirebook.live.probe.session import Settings


@dataclass(frozen=True)
class ProbeRequest:
    """The brokers to probe, and how to connect."""

    brokers: tuple[Address, ...]
    settings: Settings = field(default_factory=Settings)


def probe(request: ProbeRequest) -> ProbeReport:
    """Probe the brokers concurrently and compare them; a broker that fails is part of the report."""
    return report(probe_brokers(request.brokers, request.settings), Documentation.of())
