"""`wirebook negotiate`: the versions that a client and brokers use, and what works."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.arguments import Arguments
from wirebook.cli.terminal import emit
from wirebook.peers.known import known_clients
from wirebook.peers.likeness import likeness
from wirebook.peers.negotiation import negotiation
from wirebook.peers.negotiation_text import of_server, text
from wirebook.peers.requirements import api_named, unmet_by
from wirebook.peers.resolve import brokers_of, client_of, context_of
from wirebook.specs.json_records import to_json
from wirebook.specs.printable import to_json as printed
from wirebook.specs.problems import InputError

ARGUMENTS: Arguments = {
    "--broker BROKER *": "a release (3.9), a protocol level by id (58) or version (4.0-IV3), what "
    "probe --format json prints or another file of ranges, - for standard input, or a SOURCE of "
    "specs; repeatable",
    "--client CLIENT": f"{', '.join(known_clients())}, a release for its Java client, a protocol "
    "level, a file of ranges, or a SOURCE of specs; without one, any version is usable",
    "--require NAME *": "exit with 1 unless this API or feature works with every broker; "
    "repeatable",
    "--api NAME *": "show only this API; repeatable",
    "--format text|json": "default: text",
}


def run(options: argparse.Namespace) -> int:
    """Print the negotiation; returns 1 if a requirement is not met. Raises InputError, OSError."""
    if not options.broker:
        raise InputError("name a peer to negotiate with: --broker")
    context = context_of(Path())
    table = context.table
    client = None if options.client is None else client_of(context, options.client)
    brokers = brokers_of(context, options.broker)
    result = negotiation(client, brokers, table.names)
    unmet = list(unmet_by(result, options.require, table))
    if options.api:
        keys = {api_named(result, name, table).key for name in options.api}
        result = replace(result, apis=[api for api in result.apis if api.key in keys])
    like = {}
    for broker in brokers:
        if table.is_kafka and broker.kind in ("file", "source") and broker.versions:
            like[broker.name] = likeness(broker.versions).words
    if options.format == "json":
        document = to_json(result)
        for row in document["brokers"]:
            row["like"] = like.get(row["name"])
        emit(printed(document))
    else:
        emit("\n".join(text(result, like, table.server)) + "\n")
    for line in unmet:
        print(f"wirebook: {of_server(line, table.server)}", file=sys.stderr)
    return exits.FINDINGS if unmet else exits.CLEAN
