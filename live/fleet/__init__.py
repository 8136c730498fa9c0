"""Who talks to a cluster, from the logs of its requests, and what another release makes of it."""
