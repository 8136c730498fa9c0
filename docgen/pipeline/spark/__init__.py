"""What all our Spark jobs share: showing stages, reading repositories, writing tables."""
