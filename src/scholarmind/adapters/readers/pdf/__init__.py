"""PDF: geometry first (what stands where, in which order), then structure (what it is), then one text with offsets."""
