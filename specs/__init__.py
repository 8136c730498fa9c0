"""The model of a protocol: the specs, and the code that reads them and computes layouts."""
