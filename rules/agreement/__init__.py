"""The relation: whether two specs agree at a version of a message, where they do not, and the proof."""
