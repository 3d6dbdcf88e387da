"""What an evaluator is shown, in words."""
