"""A whole machine, from the installer to its taking off: `make acceptance`."""
