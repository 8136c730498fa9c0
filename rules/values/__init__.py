"""Rules on numbers with a meaning: error codes, and the values of fields."""
