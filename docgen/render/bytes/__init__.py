"""Messages as bytes: examples, hex views and wire types."""
