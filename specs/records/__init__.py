"""Record batches, and message sets, their predecessors: the content of a field of type records."""
