"""Who sends requests: the application of a client id, its owner, and pseudonyms."""
