"""The Parquet tables of a fleet and its state, from which the next run continues."""
