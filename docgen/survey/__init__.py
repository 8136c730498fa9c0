"""The histories of several repositories, compared: data, summary and page of `wirebook survey`."""
