"""From text to model: JSON with positions, the reader, and which files are specs."""
