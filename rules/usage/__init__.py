"""Who still sends the versions that a change removes, deprecates or breaks, according to `wirebook fleet`."""
