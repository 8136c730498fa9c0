"""Equal requests of a day, counted in memory that depends on applications and versions only."""
