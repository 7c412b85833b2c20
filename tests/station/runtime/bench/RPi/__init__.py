"""Stands where RPi.GPIO is installed on a Pi."""
