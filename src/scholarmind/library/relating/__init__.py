"""What the graph of papers answers: which nodes a question names, what is counted, and which passages prove it."""
