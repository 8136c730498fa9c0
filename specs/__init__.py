"""What a protocol is: the specs themselves, and the code that reads them and lays them out."""
