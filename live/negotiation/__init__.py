"""Which versions a client and brokers use."""
