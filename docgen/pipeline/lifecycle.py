"""The events of all snapshots on Spark, by windows over their order: added, changed, removed.

An event happens to an API, one of its versions, a field of one of its messages, or an error code.
The snapshots form chains (docgen/catalog/order.py), and what a snapshot changes is what differs from the
one before it in its chain. Facts are compared only if a text, or its position, differs, which is rare
between neighbors.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

# What an event is about; the order of the columns is the order of the rows in the tables.
THING = ("subject", "kind", "part", "version", "path")
# The facts of a thing that change over time, and how to merge those of two messages.
_FACTS = {
    "unstable": F.max,
    "deprecated": F.max,
    "flexible": F.min,
    "nullable": F.min,
    "tagged": F.min,
    "default": F.max,
}
_FLAGS = ("unstable", "deprecated")


def entries(files: DataFrame, parsed: DataFrame) -> DataFrame:
    """(ordinal, subject, part, digest, path, state): what each snapshot holds."""
    texts = parsed.where(F.col("error").isNull()).select(
        "digest", "subject", "part", F.explode("states_at").alias("at")
    )
    anywhere = F.col("at.ordinal").isNull()
    return (
        files.join(F.broadcast(texts), "digest")
        .where(anywhere | (F.col("at.ordinal") == F.col("ordinal")))
        .select("ordinal", "subject", "part", "digest", "path", F.col("at.state").alias("state"))
        .repartition("subject")
    )


def facts(parsed: DataFrame) -> DataFrame:
    """(subject, digest, state, facts): what each text states in each of its states."""
    texts = parsed.where(F.col("error").isNull()).select("subject", "digest", F.inline("states"))
    return texts.select("subject", "digest", "state", "facts")


def events(entries: DataFrame, facts: DataFrame, places: DataFrame) -> DataFrame:
    """What happened, in each chain: one row for each change against the snapshot before.

    Columns: THING, event, ordinal, old, new, first (the history began with it), branch (the chain when
    only that branch has it, else null), kept (whether it is part of the thing's own history, in
    which an event of several branches is listed once, by the earliest release).
    """
    return _story(_changes(_differences(_transitions(entries, places), facts), places))


def _transitions(entries: DataFrame, places: DataFrame) -> DataFrame:
    """(subject, chain, position, digest, state, now): the texts on both sides of each change of texts.

    `now` is 1 for the state at the position, 0 for the state just before it.
    """
    together = entries.groupBy("subject", "ordinal").agg(
        F.sort_array(F.collect_list(F.struct("digest", "state"))).alias("parts")
    )
    placed = together.join(F.broadcast(places.drop("next_trunk")), "ordinal")
    chain = Window.partitionBy("subject", "chain").orderBy("position")
    nothing = F.slice("parts", 1, 0)
    adjacent = F.lag("position").over(chain).eqNullSafe(F.col("position") - 1)
    before = F.when(adjacent, F.lag("parts").over(chain)).otherwise(nothing)
    follows = F.lead("position").over(chain).eqNullSafe(F.col("position") + 1)
    # A branch begins with the snapshot that it was cut from, whose events are on the trunk.
    base = (F.col("chain") > 0) & (F.col("position") == 0)
    changes = F.array(
        F.when(
            ~base & (before != F.col("parts")),
            F.struct("position", before.alias("before"), F.col("parts").alias("after")),
        ),
        F.when(
            ~follows & (F.col("position") < F.col("last")),
            F.struct(
                (F.col("position") + 1).alias("position"),
                F.col("parts").alias("before"),
                nothing.alias("after"),
            ),
        ),
    )
    return (
        placed.select("subject", "chain", changes.alias("changes"))
        .select("subject", "chain", F.explode("changes").alias("change"))
        .where(F.col("change").isNotNull())
        .select(
            "subject",
            "chain",
            "change.position",
            F.inline(F.concat(_marked("change.before", 0), _marked("change.after", 1))),
        )
    )


def _marked(parts: str, now: int) -> Column:
    return F.transform(
        parts,
        lambda part: F.struct(
            part["digest"].alias("digest"), part["state"].alias("state"), F.lit(now).alias("now")
        ),
    )


def _differences(transitions: DataFrame, facts: DataFrame) -> DataFrame:
    """(THING, chain, position, then each fact before and after): every thing of the texts that changed."""
    sides = transitions.join(facts, ["subject", "digest", "state"]).select(
        "subject", "chain", "position", "now", F.inline("facts")
    )
    return sides.groupBy(*THING, "chain", "position").agg(
        F.max("now").alias("present"),
        F.min("now").alias("came"),
        *(
            aggregate(F.when(F.col("now") == now, F.col(name))).alias(f"{side}_{name}")
            for name, aggregate in _FACTS.items()
            for now, side in ((0, "old"), (1, "new"))
        ),
    )


def _changes(differences: DataFrame, places: DataFrame) -> DataFrame:
    """An event for each fact of a thing that differs between the two sides."""
    comes, goes = F.col("came") == 1, F.col("present") == 0
    of_versions, of_field = F.col("kind").isin("api", "version"), F.col("kind") == "field"
    nothing, no = F.lit(None).cast("string"), F.lit(False)

    def event(name: str | Column, about: str, old: Column = nothing, new: Column = nothing) -> Column:
        word = F.lit(name) if isinstance(name, str) else name
        return F.struct(word.alias("event"), F.lit(about).alias("about"), old.alias("old"), new.alias("new"))

    def turned(name: str, on: str, off: str, where: Column) -> Column:
        """A boolean fact that changed; for a new thing, that it is true."""
        old, new = F.col(f"old_{name}"), F.col(f"new_{name}")
        if name in _FLAGS:
            was, now, values = F.coalesce(old, no), F.coalesce(new, no), [nothing, nothing]
        else:
            was, now, values = old.isNotNull(), new.isNotNull(), [old.cast("string"), new.cast("string")]
        return F.when(where & ~goes & (was != now), event(F.when(now, on).otherwise(off), name, *values))

    defaults = (F.col("old_default"), F.col("new_default"))
    events = F.array(
        F.when(comes, event("added", "presence")),
        F.when(goes, event("removed", "presence")),
        turned("unstable", "unstable", "stable", of_versions),
        turned("deprecated", "deprecated", "undeprecated", of_versions),
        turned("flexible", "flexible", "inflexible", (F.col("kind") == "api") | (of_versions & ~comes)),
        turned("nullable", "nullable", "not_nullable", of_field),
        turned("tagged", "tagged", "untagged", of_field),
        F.when(
            of_field & ~comes & ~goes & ~defaults[0].eqNullSafe(defaults[1]),
            event("default", "default", *defaults),
        ),
    )
    listed = differences.select(
        *THING, "chain", "position", F.inline(F.filter(events, lambda item: item.isNotNull()))
    )
    return listed.join(F.broadcast(places.drop("last")), ["chain", "position"])


def _story(raw: DataFrame) -> DataFrame:
    """List once what several branches have, and call a second addition a return."""
    key = [*THING, "about"]
    value = F.struct("event", "new")
    raw = raw.withColumn("value", value)
    trunk = F.collect_set(F.when(F.col("chain") == 0, F.col("ordinal"))).over(
        Window.partitionBy(*key, "value")
    )
    alone = (
        (F.col("chain") > 0) & F.col("next_trunk").isNotNull() & ~F.array_contains(trunk, F.col("next_trunk"))
    )
    marked = raw.withColumn("branch", F.when(alone, F.col("chain")))
    earlier = Window.partitionBy(*key).orderBy("ordinal", "chain").rowsBetween(Window.unboundedPreceding, -1)
    gone_before = F.coalesce(F.max(F.col("event") == "removed").over(earlier), F.lit(False))
    marked = marked.withColumn("again", gone_before)
    story = Window.partitionBy(*key, "branch").orderBy("ordinal", "chain")
    repeated = F.lag("value").over(story) == F.col("value")
    return marked.select(
        *THING,
        F.when((F.col("event") == "added") & F.col("again"), "returned")
        .otherwise(F.col("event"))
        .alias("event"),
        "ordinal",
        "old",
        "new",
        ((F.col("chain") == 0) & (F.col("position") == 0)).alias("first"),
        "branch",
        (~F.coalesce(repeated, F.lit(False))).alias("kept"),
    )
