"""Everything specific to Kafka: its message specs, protocol levels, releases and error codes."""

# The name of the built-in profile, and of the family of those that extend it.
KAFKA = "kafka"
