"""Why a number is what it is: explain it, compare analyzers, check one, leave lines out."""
