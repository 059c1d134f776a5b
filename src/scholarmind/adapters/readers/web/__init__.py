"""Web pages: how they are parsed, which part of them is the text, how it is written out, what they say of themselves."""
