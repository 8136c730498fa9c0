"""The same counting on executors of Spark, and the tables that they write."""
