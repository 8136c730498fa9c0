"""Rules on nullability."""
