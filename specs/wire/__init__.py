"""What a message looks like on the wire: its layout at each version, and the codec."""
