"""Which clients use a cluster, according to its request logs, and how another release affects them."""
