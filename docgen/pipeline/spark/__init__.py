"""What every Spark job of ours does alike: show its stages, read repositories, write tables."""
