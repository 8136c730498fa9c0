"""Rules on flexible versions."""
