"""Fuzzing of what reads input from others, with limits on time and memory; `make test` replays the seeds."""
