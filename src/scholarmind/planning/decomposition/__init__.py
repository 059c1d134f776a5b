"""How a question is taken apart: clauses, lists, comparisons, chains, words that point back; by a reader's marks, or by rules."""
