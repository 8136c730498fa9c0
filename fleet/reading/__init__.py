"""From the bytes of a log to requests: files and how far they were read, containers, lines, metrics."""
