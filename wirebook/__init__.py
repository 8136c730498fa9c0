"""The protocol reference and compatibility gate for message protocols written as versioned JSON specs."""

__version__ = "0.1.0"
