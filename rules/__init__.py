"""What may change in a protocol: depends on `specs` alone."""
