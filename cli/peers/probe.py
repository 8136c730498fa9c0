"""`wirebook probe`: what live brokers take, against the book."""

from __future__ import annotations

import argparse
import os
import ssl
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.cli import exits
from wirebook.cli.terminal import emit
from wirebook.specs.printable import to_json
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from wirebook.live.probe.request import ProbeRequest
    from wirebook.live.probe.session import Login

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
    from wirebook.live.probe.request import probe
    from wirebook.live.probe.text import text

    request = probe_request(options)
    result = probe(request)
    if options.format == "json":
        emit(to_json(result.document))
    else:
        from wirebook.cli.terminal import coloured

        emit("\n".join(text(result.document, colour=coloured(sys.stdout, os.environ))) + "\n")
    if options.save is not None:
        if result.failed:
            print("wirebook: nothing is saved, because a broker did not answer", file=sys.stderr)
        else:
            from wirebook.live.probe.save import save

            saved = save(options.save, result.answers, options.source)
            print(f"wirebook: {saved}", file=sys.stderr)
    if result.failed:
        return exits.UNUSABLE
    return exits.CLEAN if result.alike else exits.FINDINGS


def probe_request(options: argparse.Namespace) -> ProbeRequest:
    """The request that the options make; asks for a password where none is given. Raises InputError."""
    from wirebook.live.negotiation.peers import Documentation
    from wirebook.live.probe.probe import addresses
    from wirebook.live.probe.request import ProbeRequest
    from wirebook.live.probe.session import Settings

    if not 0 < options.timeout <= MAX_TIMEOUT:
        raise InputError(f"--timeout is a number of seconds above 0 and up to {MAX_TIMEOUT:g}")
    brokers = tuple(addresses(options.brokers))
    documentation = Documentation.of(options.source, options.registry)
    settings = Settings(options.timeout, _tls(options), _login(options))
    if settings.login is not None:
        _warn(plaintext=settings.tls is None, unverified=options.insecure)
    return ProbeRequest(brokers, documentation, settings)


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


def _warn(*, plaintext: bool, unverified: bool) -> None:
    if plaintext:
        print("wirebook: without --tls anybody on the way can read what is sent to log in", file=sys.stderr)
    if unverified:
        print("wirebook: with --insecure anybody on the way can pose as the broker", file=sys.stderr)
