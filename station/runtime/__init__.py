"""The shell: everything that touches ports, clocks, files, processes and networks."""
