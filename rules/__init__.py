"""What may change between two protocols: the declaration of a rule, the engine, findings."""
