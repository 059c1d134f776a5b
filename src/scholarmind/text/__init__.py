"""What text is made of: terms, sentences, languages. Pure functions, no file and no model."""
