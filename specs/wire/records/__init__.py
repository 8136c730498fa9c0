"""Record batches and the message sets before them: what a field of type records holds."""
