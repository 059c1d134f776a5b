"""The literature matrix: columns, the cells that answer them, whole tables, and files of them."""
