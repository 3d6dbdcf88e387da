"""Teaching the format: the glossary, predictions and exercises."""
