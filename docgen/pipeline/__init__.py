"""The Spark jobs: texts of snapshots in, the catalog out. Only it and `fleet/spark` import pyspark."""
