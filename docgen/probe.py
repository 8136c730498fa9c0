"""Asks a live broker for its versions, as KIP-35 and KIP-511 say, with TLS and SASL where it wants them."""

from __future__ import annotations

import contextlib
import ssl
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from docgen.own import own_layout, own_message
from docgen.probe_connection import Address, Connection, Deadline, ProbeError, speaks_tls
from docgen.scram import HASHES, ScramClient, ScramError
from docgen.version import version as own_version
from specs.model import Json
from specs.problems import InputError
from specs.registry import FOLDER
from specs.versions import MAX_VERSION, Versions
from specs.wire import WireError, codec, header_layout

Doc = dict[str, Any]

TIMEOUT = 10.0
MECHANISMS = ("PLAIN", *HASHES)
CLIENT = "wirebook"
METADATA, SASL_HANDSHAKE, API_VERSIONS, SASL_AUTHENTICATE = 3, 17, 18, 36
KEYS = {
    "Metadata": METADATA,
    "SaslHandshake": SASL_HANDSHAKE,
    "ApiVersions": API_VERSIONS,
    "SaslAuthenticate": SASL_AUTHENTICATE,
}
UNSUPPORTED_SASL_MECHANISM, ILLEGAL_SASL_STATE, UNSUPPORTED_VERSION, SASL_AUTHENTICATION_FAILED = (
    33,
    34,
    35,
    58,
)
_AT_ONCE = 16
# Kafka has a hundred; a broker that lists more than this means no good.
MAX_APIS = 1000
MAX_NOTES = 50
# Where the body begins, after the correlation id, if the header has no tagged section.
BODY = 4


@dataclass(frozen=True)
class Login:
    """Who asks, by which SASL mechanism."""

    mechanism: str
    user: str
    password: str = field(repr=False)


@dataclass(frozen=True)
class Settings:
    """How brokers are asked: the seconds for each of them; TLS and SASL unless these are None."""

    timeout: float = TIMEOUT
    tls: ssl.SSLContext | None = None
    login: Login | None = None


@dataclass
class Answer:
    """What came of asking one broker. Texts are the broker's: make them visible before they are printed."""

    address: Address
    failure: ProbeError | None = None
    versions: dict[int, Versions] = field(default_factory=dict)
    asked: int | None = None
    conversation: list[Doc] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    throttle_time_ms: int = 0
    supported_features: list[Doc] = field(default_factory=list)
    finalized_features: list[Doc] = field(default_factory=list)
    finalized_epoch: int | None = None
    tls: Doc | None = None
    sasl: Doc | None = None
    cluster: Doc | None = None

    @property
    def answered(self) -> bool:
        """Whether the broker told its versions, and nothing that was asked for failed afterwards."""
        return self.failure is None


def versions_of(address: str) -> Mapping[int, Versions]:
    """The versions that a live broker lists, by API key. Raises InputError with the reason if it does not."""
    answer = ask(Address.parse(address))
    if answer.failure is not None:
        from specs.printable import visible

        raise InputError(f"{answer.address}: {visible(answer.failure.message)}")
    return answer.versions


def ask(address: Address, settings: Settings | None = None) -> Answer:
    """Ask one broker; returns within the time limit, whatever is there."""
    conversation = _Conversation(address, settings or Settings())
    try:
        conversation.hold()
    except ProbeError as failure:
        conversation.answer.failure = failure
    finally:
        conversation.close()
    return conversation.answer


def ask_all(addresses: Sequence[Address], settings: Settings) -> list[Answer]:
    """Ask brokers at once; their answers in the order of the addresses."""
    answers: dict[int, Answer] = {}
    waiting = iter(enumerate(addresses))
    lock = threading.Lock()
    crashes: list[BaseException] = []

    def work() -> None:
        while True:
            with lock:
                place, address = next(waiting, (-1, None))
            if address is None:
                return
            try:
                answers[place] = ask(address, settings)
            except BaseException as error:
                crashes.append(error)
                return

    threads = [threading.Thread(target=work, daemon=True) for _ in addresses[:_AT_ONCE]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if crashes:
        raise crashes[0]
    return [answers[place] for place in range(len(addresses))]


class _Conversation:
    """All that is said to one broker."""

    def __init__(self, address: Address, settings: Settings) -> None:
        self.address = address
        self.settings = settings
        self.deadline = Deadline(settings.timeout)
        self.answer = Answer(address)
        self.correlation = 0
        self.offered: Versions | None = None
        self._open: Connection | None = None

    def hold(self) -> None:
        self.ask_versions()
        if self.settings.login is not None:
            self.log_in(self.settings.login)
        self.look_further()

    # The connection

    def connection(self) -> Connection:
        if self._open is None:
            self._open = Connection(self.address, self.deadline, self.settings.tls)
            self.answer.tls = self._open.tls
        return self._open

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def note(self, text: str) -> None:
        if text not in self.answer.notes and len(self.answer.notes) < MAX_NOTES:
            self.answer.notes.append(text)

    def send(self, api: str, version: int, value: Mapping[str, Json]) -> bytes:
        """The answer to a request, header and body; it is to this request, and there is a body.

        Every request and what came of it is kept in the conversation. Raises ProbeError.
        """
        self.correlation += 1
        step: Doc = {"api": api, "version": version, "outcome": ""}
        self.answer.conversation.append(step)
        try:
            data = self.connection().ask(request(api, version, value, self.correlation))
            if len(data) < BODY:
                raise ProbeError("empty", f"the answer to {api} {version} is a frame of {len(data)} bytes")
            number = int.from_bytes(data[:BODY], "big", signed=True)
            if number != self.correlation:
                raise ProbeError(
                    "garbage",
                    f"the answer to {api} {version} has the correlation id {number}, not {self.correlation}",
                )
            if len(data) == BODY:
                raise ProbeError(
                    "empty", f"the answer to {api} {version} is empty: a correlation id and no more"
                )
        except ProbeError as failure:
            step["outcome"] = failure.message
            self.close()
            raise
        step["outcome"] = f"{len(data)} bytes"
        return data

    def outcome(self, text: str) -> None:
        self.answer.conversation[-1]["outcome"] = text

    # ApiVersions

    def ask_versions(self) -> None:
        """Find the version of ApiVersions that both sides have, and read the answer in it."""
        newest = newest_version("ApiVersions")
        version, asked = newest, set[int]()
        while True:
            asked.add(version)
            try:
                data = self.send("ApiVersions", version, api_versions_request(version))
            except ProbeError as failure:
                if failure.code != "closed":
                    raise
                if len(asked) > 1:
                    # The answer before has closed the connection: once more, on one of its own.
                    self.note("it closes the connection after error 35; KIP-511 wants it open")
                    data = self.again(version)
                elif version > 0:
                    data = self.after_close(version, failure)
                    version = 0
                else:
                    raise self.why_closed(failure) from None
            body = self.read_versions(version, data)
            if body is not None:
                self.answer.asked = version
                self.take(body)
                return
            version = self.next_version(version, newest, asked)

    def again(self, version: int) -> bytes:
        self.close()
        try:
            return self.send("ApiVersions", version, api_versions_request(version))
        except ProbeError as failure:
            raise (self.why_closed(failure) if failure.code == "closed" else failure) from None

    def after_close(self, version: int, failure: ProbeError) -> bytes:
        """The answer to version 0, from a broker that hangs up on a newer one."""
        try:
            data = self.send("ApiVersions", 0, {})
        except ProbeError as second:
            raise (self.why_closed(failure) if second.code == "closed" else second) from None
        self.note(f"it closes the connection on ApiVersions {version}; a broker answers error 35 (KIP-511)")
        return data

    def why_closed(self, failure: ProbeError) -> ProbeError:
        if self.settings.tls is None and speaks_tls(self.address, self.deadline.part(0.8)):
            return ProbeError("tls-wanted", "this port speaks TLS: ask it with --tls")
        if self.settings.tls is not None:
            # A request that was under way when the alert came may have hidden it.
            try:
                with Connection(self.address, self.deadline, self.settings.tls) as connection:
                    connection.listen()
            except ProbeError as told:
                if told.code != "closed":
                    return told
        return ProbeError(
            failure.code,
            "it closes the connection without an answer to ApiVersions: a broker before 0.10.0, a listener "
            "that lets in nobody unknown, or no broker",
        )

    def read_versions(self, version: int, data: bytes) -> Mapping[str, Any] | None:
        """The body, or None where another version is to be asked; `offered` is then what the answer names."""
        self.offered = None
        if int.from_bytes(data[BODY : BODY + 2], "big") == UNSUPPORTED_VERSION:
            self.refused(version, data)
            return None
        body, problem = self.decode_any(version, data)
        if body is None:
            raise ProbeError("garbage", f"the answer to ApiVersions {version} does not parse: {problem}")
        error = body["ErrorCode"]
        self.outcome(f"{len(body['ApiKeys'])} APIs" if not error else named_error(error))
        if not error:
            return body
        if version == 0:
            raise ProbeError("refused-request", f"it answers ApiVersions with {named_error(error)}")
        self.note(f"it answers ApiVersions {version} with {named_error(error)}")
        self.offered = Versions(0, 0)
        return None

    def refused(self, version: int, data: bytes) -> None:
        """Read an answer with error 35, which has the layout of version 0 (KIP-511)."""
        for layout_version in dict.fromkeys((0, version)):
            body = decoded("ApiVersions", layout_version, data)
            if isinstance(body, WireError):
                continue
            if layout_version:
                self.note(
                    f"its error 35 has the layout of version {layout_version}, which was asked; "
                    "KIP-511 wants that of 0"
                )
            named = next((item for item in body["ApiKeys"] if item["ApiKey"] == API_VERSIONS), None)
            told = "names no versions"
            if named is not None:
                lowest, highest = named["MinVersion"], named["MaxVersion"]
                told = f"names {lowest} to {highest}"
                if 0 <= lowest <= highest:
                    self.offered = Versions(lowest, highest)
            self.outcome(f"{named_error(UNSUPPORTED_VERSION)}; {told}")
            return
        self.outcome(f"{named_error(UNSUPPORTED_VERSION)} in a broken layout")
        self.note(
            f"its error 35 to ApiVersions {version} is broken, the layout of no version: {data[:40].hex()}; "
            "clients that read the versions in it fail"
        )

    def decode_any(self, version: int, data: bytes) -> tuple[Mapping[str, Any] | None, str]:
        """The body by the layout that was asked for, or else by the mistakes that servers make."""
        body = decoded("ApiVersions", version, data)
        if not isinstance(body, WireError):
            return body, ""
        problem = str(body)
        flexible = own_layout("ApiVersionsResponse", version).flexible
        if flexible and data[BODY : BODY + 1] == b"\0":
            body = decoded("ApiVersions", version, data, start=BODY + 1)
            if not isinstance(body, WireError):
                self.note(
                    f"its answer to ApiVersions {version} has a tagged section in the header, where none may "
                    "be (KIP-511): most clients fail on it"
                )
                return body, ""
        for other in range(newest_version("ApiVersions"), -1, -1):
            body = decoded("ApiVersions", other, data)
            if other != version and not isinstance(body, WireError):
                self.note(f"it answers ApiVersions {version} in the layout of version {other}")
                return body, ""
        body = decoded("ApiVersions", version, data, strict=False)
        if not isinstance(body, WireError):
            self.note(f"its answer to ApiVersions {version} is longer than its layout: {problem}")
            return body, ""
        return None, problem

    def next_version(self, version: int, newest: int, asked: set[int]) -> int:
        """The version to ask after error 35. Raises ProbeError where none is left."""
        offered = self.offered
        if offered is None:
            following = 0
        elif offered.lowest > newest:
            raise ProbeError(
                "unsupported", f"it takes ApiVersions {offered} alone, and the book ends at version {newest}"
            )
        else:
            following = min(offered.highest, newest)
            if following in asked:
                self.note(f"it refuses ApiVersions {version} and says that it has {offered}")
                following = 0
        if following in asked:
            raise ProbeError("unsupported", "it answers error 35 to every version of ApiVersions, 0 included")
        return following

    def take(self, body: Mapping[str, Any]) -> None:
        """Keep what the answer says, as far as it can be meant."""
        answer = self.answer
        if len(body["ApiKeys"]) > MAX_APIS:
            self.note(f"it lists {len(body['ApiKeys']):,} APIs; the first {MAX_APIS:,} are taken")
        for item in body["ApiKeys"][:MAX_APIS]:
            key, lowest, highest = item["ApiKey"], item["MinVersion"], item["MaxVersion"]
            if not (key >= 0 and 0 <= lowest <= highest <= MAX_VERSION):
                self.note(f"it lists key {key} with the versions {lowest} to {highest}, which cannot be")
            elif key in answer.versions:
                self.note(f"it lists key {key} twice; the first is taken")
            else:
                answer.versions[key] = Versions(lowest, highest)
        if not answer.versions:
            raise ProbeError("empty", "it answers ApiVersions without naming any API")
        answer.throttle_time_ms = body.get("ThrottleTimeMs", 0)
        answer.supported_features = [
            {"name": item["Name"], "versions": f"{item['MinVersion']}-{item['MaxVersion']}"}
            for item in (body.get("SupportedFeatures") or ())[:MAX_APIS]
        ]
        answer.finalized_features = [
            {"name": item["Name"], "versions": f"{item['MinVersionLevel']}-{item['MaxVersionLevel']}"}
            for item in (body.get("FinalizedFeatures") or ())[:MAX_APIS]
        ]
        epoch = body.get("FinalizedFeaturesEpoch", -1)
        answer.finalized_epoch = epoch if epoch >= 0 else None

    # SASL

    def log_in(self, login: Login) -> None:
        """Authenticate on the connection. Raises ProbeError."""
        self.shake_hands(login.mechanism)
        version = self.usable("SaslAuthenticate")
        if version is None:
            raise ProbeError("sasl", "it lists no version of SaslAuthenticate that is known here")
        try:
            lifetime = self.exchange(login, version)
        except ScramError as error:
            raise ProbeError("sasl", f"SCRAM fails: {error}") from None
        except ProbeError as failure:
            if failure.code != "closed":
                raise
            raise ProbeError(
                "credentials", "it closes the connection during authentication: most likely wrong credentials"
            ) from None
        assert self.answer.sasl is not None
        self.answer.sasl.update(mechanism=login.mechanism, session_lifetime_ms=lifetime)

    def shake_hands(self, mechanism: str) -> None:
        offered = self.answer.versions.get(SASL_HANDSHAKE, Versions.NONE)
        if 1 not in offered:
            raise ProbeError(
                "no-sasl",
                f"it has SaslHandshake {offered} alone, before 1.0; its bare tokens are not spoken here"
                if offered
                else "this listener has no SASL: SaslHandshake is not among its APIs",
            )
        try:
            body = self.say("SaslHandshake", 1, {"Mechanism": mechanism})
        except ProbeError as failure:
            if failure.code != "closed":
                raise
            raise ProbeError(
                "mechanism",
                f"it closes the connection on a SaslHandshake for {mechanism}, and does not say why",
            ) from None
        mechanisms = [str(name) for name in body["Mechanisms"]]
        error = body["ErrorCode"]
        if error == UNSUPPORTED_SASL_MECHANISM:
            raise ProbeError(
                "mechanism",
                f"it does not take {mechanism}, but {', '.join(mechanisms) or 'names no other mechanism'}",
            )
        if error == ILLEGAL_SASL_STATE:
            raise ProbeError("no-sasl", "this listener has no SASL (error 34): leave --sasl out")
        if error:
            raise ProbeError("sasl", f"it answers SaslHandshake with {named_error(error)}")
        self.answer.sasl = sasl(mechanisms)

    def exchange(self, login: Login, version: int) -> int:
        """The tokens of the mechanism; returns the lifetime of the session. Raises ProbeError, ScramError."""
        if login.mechanism == "PLAIN":
            plain = f"\0{login.user}\0{login.password}".encode()
            return int(self.token(plain, version).get("SessionLifetimeMs", 0))
        scram = ScramClient(login.mechanism, login.user, login.password)
        first = self.token(scram.first(), version)
        last = self.token(scram.final(bytes.fromhex(first["AuthBytes"])), version)
        scram.check(bytes.fromhex(last["AuthBytes"]))
        return int(last.get("SessionLifetimeMs", 0))

    def token(self, token: bytes, version: int) -> Mapping[str, Any]:
        body = self.say("SaslAuthenticate", version, {"AuthBytes": token.hex()})
        error = body["ErrorCode"]
        if error:
            self.outcome(named_error(error))
            told = body.get("ErrorMessage")
            code = "credentials" if error == SASL_AUTHENTICATION_FAILED else "sasl"
            said = f': "{str(told)[:300]}"' if told else ""
            raise ProbeError(code, f"authentication fails with {named_error(error)}{said}")
        self.outcome("accepted")
        return body

    # What else can be seen

    def look_further(self) -> None:
        """Ask Metadata for the cluster's name; a listener that refuses it wants SASL before.

        Whatever goes wrong here is a note: the versions are known by now. A controller has no Metadata, and
        tells by SaslHandshake alone.
        """
        version = self.usable("Metadata")
        # Version 0 cannot ask for no topics.
        if not version:
            if self.settings.login is None:
                self.ask_mechanisms(refused=False)
            return
        value: dict[str, Json] = {"Topics": []}
        if version >= 4:
            value["AllowAutoTopicCreation"] = False
        try:
            body = self.say("Metadata", version, value)
        except ProbeError as failure:
            if failure.code == "closed" and self.settings.login is None:
                self.ask_mechanisms(refused=True)
            else:
                self.note(f"Metadata {version}: {failure.message}")
            return
        brokers = body.get("Brokers") or []
        self.outcome(f"{len(brokers)} brokers")
        self.answer.cluster = {
            "id": body.get("ClusterId"),
            "controller": body.get("ControllerId", -1),
            "brokers": [
                {"id": item["NodeId"], "host": item["Host"], "port": item["Port"], "rack": item.get("Rack")}
                for item in brokers[:1000]
            ],
        }

    def ask_mechanisms(self, refused: bool) -> None:
        """Find out by which mechanisms a listener wants clients to log in.

        `refused` is whether it has closed the connection on a request, so that it does want SASL.
        """
        mechanisms: list[str] = []
        if 1 in self.answer.versions.get(SASL_HANDSHAKE, Versions.NONE):
            # Some brokers hang up on a mechanism that they do not have, and do not name those that they have.
            for mechanism in ("PLAIN", "SCRAM-SHA-512"):
                with contextlib.suppress(ProbeError):
                    body = self.say("SaslHandshake", 1, {"Mechanism": mechanism})
                    if body["ErrorCode"] == ILLEGAL_SASL_STATE:
                        self.outcome(named_error(ILLEGAL_SASL_STATE))
                        if refused:
                            self.note("it closes the connection on Metadata, and this listener has no SASL")
                        return
                    mechanisms = [str(name) for name in body["Mechanisms"]]
                    break
        how = f" ({', '.join(mechanisms)})" if mechanisms else ""
        if refused:
            self.note(f"it wants SASL{how} before any other request: log in with --sasl and --user")
        elif mechanisms:
            self.note(f"it has SASL{how}, and most likely wants it: log in with --sasl and --user")
        if refused or mechanisms:
            self.answer.sasl = sasl(mechanisms)

    def say(self, api: str, version: int, value: Mapping[str, Json]) -> Mapping[str, Any]:
        """Send a request and read the answer. Raises ProbeError."""
        data = self.send(api, version, value)
        body = decoded(api, version, data)
        if isinstance(body, WireError):
            longer = decoded(api, version, data, strict=False)
            if not isinstance(longer, WireError):
                self.outcome("answered")
                self.note(f"its answer to {api} {version} is longer than its layout: {body}")
                return longer
            self.outcome("an answer that does not parse")
            self.close()
            raise ProbeError("garbage", f"the answer to {api} {version} does not parse: {body}")
        self.outcome("answered")
        return body

    def usable(self, api: str) -> int | None:
        """The highest version of an API that the broker lists and the book has a stable layout of."""
        both = self.answer.versions.get(KEYS[api], Versions.NONE) & Versions(0, newest_version(api))
        return both.highest if both else None


def newest_version(api: str) -> int:
    """The newest stable version of an API in the book."""
    message = own_message(f"{api}Request")
    return message.valid_versions.highest - (1 if message.latest_version_unstable else 0)


def request(api: str, version: int, value: Mapping[str, Json], correlation: int) -> bytes:
    """The bytes of a request, header and body, as a frame holds them."""
    made = own_layout(f"{api}Request", version)
    assert made.header_version is not None
    header = {
        "RequestApiKey": KEYS[api],
        "RequestApiVersion": version,
        "CorrelationId": correlation,
        "ClientId": CLIENT,
    }
    return codec(header_layout("request", made.header_version)).encode(header) + codec(made).encode(value)


def decoded(
    api: str, version: int, data: bytes, *, start: int = BODY, strict: bool = True
) -> Mapping[str, Any] | WireError:
    """The body of an answer, or why it does not parse; `start` is where it begins after header version 0.

    Bytes that follow it are an error only where it is `strict`.
    """
    made = own_layout(f"{api}Response", version)
    try:
        if made.header_version:
            _, start = codec(header_layout("response", made.header_version)).decode_from(data)
        return codec(made).decode(data[start:]) if strict else codec(made).decode_from(data, start)[0]
    except WireError as error:
        return error


def api_versions_request(version: int) -> dict[str, Json]:
    """The fields of an ApiVersions request: from version 3 on it names the client."""
    if version < 3:
        return {}
    release = "".join(letter if letter.isascii() and letter.isalnum() else "." for letter in own_version())
    return {"ClientSoftwareName": CLIENT, "ClientSoftwareVersion": release.strip(".") or "0"}


@cache
def _errors() -> dict[int, str]:
    import json

    document = json.loads((FOLDER / "errors.json").read_text(encoding="utf-8"))
    return {item["code"]: item["name"] for item in document["errors"]}


def sasl(mechanisms: list[str]) -> Doc:
    """What is known of a listener's SASL before anybody has logged in."""
    return {"mechanism": None, "session_lifetime_ms": 0, "mechanisms": mechanisms}


def named_error(code: int) -> str:
    """ "error 35, UNSUPPORTED_VERSION"."""
    name = _errors().get(code)
    return f"error {code}, {name}" if name else f"error {code}"


def addresses(words: Iterable[str]) -> list[Address]:
    """The addresses of words like HOST:PORT,HOST:PORT, each once. Raises InputError."""

    def each() -> Iterator[Address]:
        for word in words:
            for text in word.split(","):
                yield Address.parse(text)

    return list(dict.fromkeys(each()))
