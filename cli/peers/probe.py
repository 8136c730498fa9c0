"""`wirebook probe`: what live brokers take, against the book."""

from __future__ import annotations

import argparse
import os
import ssl
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wirebook.cli import exits
from wirebook.cli.terminal import emit
from wirebook.specs.printable import to_json
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from wirebook.live.probe.session import Login

Doc = dict[str, Any]

PASSWORD = "WIREBOOK_PASSWORD"
MECHANISMS = ("plain", "scram-sha-256", "scram-sha-512")
MAX_TIMEOUT = 3600.0


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "brokers", metavar="HOST:PORT", nargs="+", help="where brokers listen; several with commas or spaces"
    )
    parser.add_argument("--tls", action="store_true", help="speak TLS")
    parser.add_argument(
        "--ca", metavar="FILE", help="trust the authorities in this PEM file alone (with --tls)"
    )
    parser.add_argument("--cert", metavar="FILE", help="a certificate of one's own in PEM (with --tls)")
    parser.add_argument(
        "--key", metavar="FILE", help="its key, where the certificate's file does not hold it"
    )
    parser.add_argument(
        "--insecure", action="store_true", help="take any certificate (never for a password that matters)"
    )
    parser.add_argument(
        "--sasl", metavar="MECHANISM", type=str.lower, choices=MECHANISMS, help="log in: %(choices)s"
    )
    parser.add_argument("--user", metavar="NAME", help="who logs in")
    parser.add_argument(
        "--password-file",
        metavar="FILE",
        help=f"a file whose first line is the password; else the variable {PASSWORD}, else it is asked for",
    )
    # Nor is it a shortening of --password-file, for a password would then be the name in an error.
    parser.add_argument("--password", nargs="?", action=_NoPassword, help=argparse.SUPPRESS)
    parser.add_argument(
        "--timeout", metavar="S", type=float, default=10.0, help="seconds for each broker (default 10)"
    )
    parser.add_argument(
        "--source", metavar="SOURCE", help="the specs that mark versions, and that --save cuts"
    )
    parser.add_argument("--registry", metavar="FILE", help="the registry of ApiVersions that goes with them")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    parser.add_argument(
        "--save",
        metavar="PATH",
        type=Path,
        help="keep the answer: NAME.json for negotiate, or a folder of specs, a SOURCE for any command",
    )


class _NoPassword(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        parser.error(
            "a password is not taken on the command line, where other users and the shell's history see it: "
            f"name --password-file or set {PASSWORD}"
        )


def run(options: argparse.Namespace) -> int:
    """Print what the brokers answer.

    Returns 0 if all answer and are alike, 1 if they answer and differ, 2 if one does not answer. Raises
    InputError, OSError.
    """
    from wirebook.live.negotiation.peers import Documentation
    from wirebook.live.probe.comparison import document
    from wirebook.live.probe.probe import addresses, probe_brokers
    from wirebook.live.probe.session import Settings

    if not 0 < options.timeout <= MAX_TIMEOUT:
        raise InputError(f"--timeout is a number of seconds above 0 and up to {MAX_TIMEOUT:g}")
    asked = addresses(options.brokers)
    documentation = Documentation.of(options.source, options.registry)
    settings = Settings(options.timeout, _tls(options), _login(options))
    _warn(settings.login is not None and not options.tls, options.insecure and settings.login is not None)
    answers = probe_brokers(asked, settings)
    told = document(answers, documentation)
    if options.format == "json":
        emit(to_json(told))
    else:
        from wirebook.cli.terminal import coloured

        emit("\n".join(text(told, colour=coloured(sys.stdout, os.environ))) + "\n")
    summary = told["summary"]
    if options.save is not None:
        if summary["failed"]:
            print("wirebook: nothing is saved, since a broker did not answer", file=sys.stderr)
        else:
            from wirebook.live.probe.save import save

            said = save(options.save, answers, options.source)
            print(f"wirebook: {said}", file=sys.stderr)
    if summary["failed"]:
        return exits.UNUSABLE
    return exits.CLEAN if summary["alike"] else exits.FINDINGS


def _tls(options: argparse.Namespace) -> ssl.SSLContext | None:
    if not options.tls:
        for name in ("ca", "cert", "key", "insecure"):
            if getattr(options, name):
                raise InputError(f"--{name} is about TLS: name --tls too")
        return None
    if options.key and not options.cert:
        raise InputError("--key goes with --cert")
    if options.ca and options.insecure:
        raise InputError("--ca says whom to trust and --insecure to trust anybody: choose one")
    from wirebook.live.probe.tls import trust

    return trust(options.ca or "", options.cert or "", options.key or "", options.insecure)


def _login(options: argparse.Namespace) -> Login | None:
    if options.sasl is None:
        for name in ("user", "password_file"):
            if getattr(options, name) is not None:
                raise InputError(f"--{name.replace('_', '-')} is about SASL: name a mechanism with --sasl")
        return None
    if not options.user:
        raise InputError("--sasl needs --user: who logs in?")
    from wirebook.live.probe.session import Login

    password = _password(options.password_file, options.user, os.environ)
    if "\0" in password or "\0" in options.user:
        raise InputError("a name and a password have no zero byte")
    try:
        f"{options.user}{password}".encode()
    except UnicodeEncodeError:
        raise InputError("the name or the password is not in UTF-8") from None
    return Login(options.sasl.upper(), options.user, password)


def _password(path: str | None, user: str, environ: Mapping[str, str]) -> str:
    """The password: from a file, the environment, or a person. It is never printed, nor part of an error."""
    if path is not None:
        try:
            with open(path, "rb") as file:
                line = file.readline(65536)
            return line.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            raise InputError("the password in it is not in UTF-8", path) from None
    if PASSWORD in environ:
        return environ[PASSWORD]
    if not sys.stdin.isatty():
        raise InputError(f"no password: name --password-file, set {PASSWORD}, or call this from a terminal")
    import getpass

    try:
        return getpass.getpass(f"Password of {user}: ")
    except EOFError:
        raise InputError("no password was given") from None


def _warn(plain: bool, unverified: bool) -> None:
    if plain:
        print("wirebook: without --tls anybody on the way can read what is sent to log in", file=sys.stderr)
    if unverified:
        print("wirebook: with --insecure anybody on the way can pose as the broker", file=sys.stderr)


def text(told: Doc, colour: bool = False) -> Iterator[str]:
    """The document for a terminal, line by line; what could steer one is made visible."""
    from wirebook.specs.printable import visible

    for style, line in _lines(told):
        shown = visible(line.rstrip())
        yield f"\x1b[{style}m{shown}\x1b[0m" if colour and style and shown else shown


def _lines(told: Doc) -> Iterator[tuple[str, str]]:
    brokers = told["brokers"]
    for place, broker in enumerate(brokers):
        if place:
            yield "", ""
        yield from _one(broker, told["newest_release"])
    there = [broker for broker in brokers if broker["answered"]]
    if told["common"] is not None:
        yield "", ""
        yield from _together(told, there)


def _one(broker: Doc, newest: str) -> Iterator[tuple[str, str]]:
    how = _how(broker)
    if broker["failure"] is not None:
        yield "31", f"{broker['address']}: {broker['failure']['message']}"
    else:
        yield "1", f"{broker['address']}: {len(broker['apis'])} APIs, by ApiVersions {how}"
    if broker["failure"] is not None and broker["apis"]:
        yield "", f"  it did answer ApiVersions {how}"
    if broker["like_words"]:
        yield "", f"  {broker['like_words']}"
    cluster = broker["cluster"]
    if cluster is not None:
        name = f"cluster {cluster['id']}" if cluster["id"] else "a cluster that does not tell its id"
        listed = ", ".join(
            f"{item['id']} at {item['host']}:{item['port']}" for item in cluster["brokers"][:8]
        )
        yield "", f"  {name}: {listed or 'no brokers'}{', …' if len(cluster['brokers']) > 8 else ''}"
    features = {item["name"]: item["versions"] for item in broker["finalized_features"]}
    for item in broker["supported_features"]:
        final = f", finalized {features.pop(item['name'])}" if item["name"] in features else ""
        yield "", f"  feature {item['name']} {item['versions']}{final}"
    for name, versions in features.items():
        yield "", f"  feature {name} finalized {versions}"
    for note in broker["notes"]:
        yield "33", f"  note: {note}"
    if broker["apis"]:
        yield "", ""
        rows = [["key", "API", "takes", "release", ""]]
        rows += [
            [str(row["key"]), row["name"] or "?", row["versions"], row["release"] or "-", _marks(row, newest)]
            for row in broker["apis"]
        ]
        for place, line in enumerate(_columns(rows)):
            odd = place and rows[place][2] != rows[place][3]
            yield "33" if odd else "", f"  {line}"
        if broker["lacking"]:
            lacks = ", ".join(f"{_name(item)} {item['versions']}" for item in broker["lacking"])
            yield "33", f"  in that release and not here: {lacks}"


def _how(broker: Doc) -> str:
    parts = []
    if broker["api_versions_version"] is not None:
        parts.append(str(broker["api_versions_version"]))
    if broker["tls"]:
        parts.append(f"over {broker['tls']['version']}{'' if broker['tls']['verified'] else ' (unverified)'}")
    sasl = broker["sasl"]
    if sasl and sasl["mechanism"]:
        parts.append(f"logged in by {sasl['mechanism']}")
    return " ".join(parts)


def _marks(row: Doc, newest: str) -> str:
    words = {
        "refused": "listed, but not served",
        "deprecated": "deprecated",
        "removed": f"gone in {newest}",
        "unstable": "unstable",
        "unknown": "not in the book",
    }
    return "; ".join(f"{row[mark]} {said}" for mark, said in words.items() if row[mark])


def _together(told: Doc, there: Sequence[Doc]) -> Iterator[tuple[str, str]]:
    differing = [row for row in told["common"] if row["differ"]]
    if not differing:
        yield "1", f"The {len(there)} brokers that answered take the same versions."
        return
    yield "1", f"{len(differing)} APIs differ between the {len(there)} brokers that answered:"
    each = [{row["key"]: row["versions"] for row in broker["apis"]} for broker in there]
    rows = [["key", "API", *(broker["address"] for broker in there), "all"]]
    rows += [
        [str(row["key"]), _name(row), *(found.get(row["key"], "-") for found in each), row["versions"] or "-"]
        for row in differing
    ]
    for line in _columns(rows):
        yield "", f"  {line}"


def _name(row: Doc) -> str:
    return str(row["name"] or f"key {row['key']}")


def _columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows in columns, the first one to the right, with a line under the head."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.rjust(w) if not place else cell.ljust(w)
            for place, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells)
