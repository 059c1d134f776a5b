"""What fills a library: finding files, reading them, cutting them into passages, storing and embedding those."""
