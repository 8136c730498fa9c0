"""The table of commands; the module of one is imported when it is called, and no other."""

from __future__ import annotations

from typing import NamedTuple


class Command(NamedTuple):
    """One command: its line in the help, an example, and its module.

    The module has `declare(parser)`, which adds the arguments, and `run(options)`, which does the work and
    returns the exit code.
    """

    help: str
    example: str
    module: str


COMMANDS = {
    "check": Command(
        "judge changed specs: does the change break anybody?", "wirebook check --staged", "gate.check"
    ),
    "show": Command(
        "a page of the book in the terminal",
        "wirebook show Fetch --version 12 --format bnf",
        "reference.show",
    ),
    "export": Command(
        "JSON Lines: one layout for each message and version",
        "wirebook export HEAD --api Fetch",
        "reference.export",
    ),
    "schema": Command(
        "print a JSON Schema of what wirebook reads or writes", "wirebook schema message", "reference.schema"
    ),
    "encode": Command(
        "a value in JSON to the bytes of a message",
        "echo '{}' | wirebook encode ApiVersionsRequest 3 --explain",
        "peers.codec",
    ),
    "decode": Command(
        "the bytes of a message to a value in JSON",
        "echo 00000000 | wirebook decode HeartbeatResponse 0 --explain",
        "peers.codec",
    ),
    "report": Command(
        "what a reviewer has to know: verdict, findings, changes, new layouts, what clients must do",
        "wirebook report --against origin/main --output report.md",
        "gate.report",
    ),
    "changes": Command(
        "everything that changed between two sources, breaking or not",
        "wirebook changes kafka.git@3.9.0 kafka.git@4.0.0",
        "gate.changes",
    ),
    "audit": Command(
        "the rules over every commit and release of a history, on Spark",
        "wirebook audit kafka.git --releases '[0-9]*' --output audit",
        "gate.audit",
    ),
    "rules": Command("the rules that a check goes by", "wirebook rules --format json", "gate.rules"),
    "explain": Command(
        "one rule: what it finds, why, and what to do", "wirebook explain tag-reused", "gate.explain"
    ),
    "completion": Command(
        "the completion script of a shell", 'eval "$(wirebook completion bash)"', "completion"
    ),
    "negotiate": Command(
        "who can speak to whom: the versions that a client and brokers use, and why not",
        "wirebook negotiate --client kafka-python --broker 3.9 --broker 4.3",
        "peers.negotiate",
    ),
    "probe": Command(
        "ask live brokers what they take, and compare it with the book",
        "wirebook probe localhost:9092 --sasl scram-sha-512 --user alice",
        "peers.probe",
    ),
    "mock": Command(
        "a broker of any release, with faults on demand, to test a client against",
        "wirebook mock --release 3.9 --mode max-0-empty-list --port 9092",
        "peers.mock",
    ),
    "build": Command(
        "the Spark pipeline, then the site",
        "wirebook build --history kafka.git --releases '[0-9]*' --site-dir site",
        "reference.build",
    ),
    "serve": Command("build, then serve with live reload", "wirebook serve --port 8000", "reference.serve"),
}
