"""Names and types: from the document to the typed tree."""
