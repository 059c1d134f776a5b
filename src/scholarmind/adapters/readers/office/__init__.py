"""Documents of office programs: Word, PowerPoint, Excel and OpenDocument, RTF, and plain tables."""
