"""The answer of a broker to a probe. Its strings come from the broker: escape them before printing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from wirebook.live.probe.address import Address, ProbeError
from wirebook.specs.versions import Versions


@dataclass(slots=True)
class ProbeStep:
    """A request to the broker, and its outcome."""

    api: str
    version: int
    outcome: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the value in `wirebook/probe/1`."""
        return {"api": self.api, "version": self.version, "outcome": self.outcome}


@dataclass(frozen=True, slots=True)
class FeatureRange:
    """A feature of the cluster (KIP-584) with its range, which the broker may report incorrectly."""

    name: str
    lowest: int
    highest: int

    @property
    def versions(self) -> str:
        """The range as text, with both ends."""
        return f"{self.lowest}-{self.highest}"

    def to_json(self) -> dict[str, Any]:
        """Return the value in `wirebook/probe/1`."""
        return {"name": self.name, "versions": self.versions}


@dataclass(frozen=True, slots=True)
class TlsSession:
    """The TLS session of the connection."""

    version: str | None
    cipher: str | None
    verified: bool

    def to_json(self) -> dict[str, Any]:
        """Return the value in `wirebook/probe/1`."""
        return {"version": self.version, "cipher": self.cipher, "verified": self.verified}


@dataclass(frozen=True, slots=True)
class SaslStatus:
    """The mechanisms that a listener names, and the one that the probe logged in with, if any."""

    mechanisms: tuple[str, ...]
    mechanism: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the value in `wirebook/probe/1`."""
        return {
            "mechanism": self.mechanism,
            "mechanisms": list(self.mechanisms),
        }


@dataclass(frozen=True, slots=True)
class ClusterBroker:
    """A broker in the Metadata response."""

    id: int
    host: str
    port: int

    def to_json(self) -> dict[str, Any]:
        """Return the value in `wirebook/probe/1`."""
        return {"id": self.id, "host": self.host, "port": self.port}


@dataclass(frozen=True, slots=True)
class Cluster:
    """The cluster in the Metadata response."""

    id: str | None
    brokers: tuple[ClusterBroker, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the value in `wirebook/probe/1`."""
        return {"id": self.id, "brokers": [broker.to_json() for broker in self.brokers]}


@dataclass
class Answer:
    """The result for one broker; `asked` is the version of ApiVersions that it answered."""

    address: Address
    failure: ProbeError | None = None
    versions: dict[int, Versions] = field(default_factory=dict)
    asked: int | None = None
    conversation: list[ProbeStep] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    supported_features: tuple[FeatureRange, ...] = ()
    finalized_features: tuple[FeatureRange, ...] = ()
    tls: TlsSession | None = None
    sasl: SaslStatus | None = None
    cluster: Cluster | None = None

    @property
    def answered(self) -> bool:
        """Whether the broker listed its versions, and no requested step failed afterwards."""
        return self.failure is None

    def to_json(self) -> dict[str, Any]:
        """Return the value in `wirebook/probe/1`, which also contains the comparison with releases."""
        failure = self.failure
        return {
            "address": str(self.address),
            "answered": self.answered,
            "failure": None if failure is None else {"code": failure.code, "message": failure.message},
            "conversation": [step.to_json() for step in self.conversation],
            "notes": self.notes,
            "tls": None if self.tls is None else self.tls.to_json(),
            "sasl": None if self.sasl is None else self.sasl.to_json(),
            "api_versions_version": self.asked,
            "supported_features": [feature.to_json() for feature in self.supported_features],
            "finalized_features": [feature.to_json() for feature in self.finalized_features],
            "cluster": None if self.cluster is None else self.cluster.to_json(),
        }
