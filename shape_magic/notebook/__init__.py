"""The Jupyter extension: magics, display bundle and widget over the library."""
