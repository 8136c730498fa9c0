"""Commands that work with messages and with peers on a network."""
