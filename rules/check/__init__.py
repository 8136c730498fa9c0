"""The compatibility check: a request in, a result out."""
