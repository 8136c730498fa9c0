"""Live brokers, asked for the versions they serve."""
