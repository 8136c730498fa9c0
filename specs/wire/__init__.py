"""Messages on the wire: their layout at each version, and the codec."""
