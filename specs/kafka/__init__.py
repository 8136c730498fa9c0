"""Everything that is Kafka's: its message specs, protocol levels, releases and error codes."""
