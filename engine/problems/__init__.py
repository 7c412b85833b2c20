"""The problems, a file for each variant, made by `python -m training.problems VARIANT`."""
