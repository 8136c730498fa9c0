"""Rules on fields and their types, order, defaults and names."""
