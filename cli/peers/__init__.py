"""Commands for messages and for peers on a network."""
