"""Tests of posting, against servers on this machine that play GitHub and GitLab."""
