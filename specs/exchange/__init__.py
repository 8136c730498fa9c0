"""Messages in transit: with header and frame length, and as lines of text."""
