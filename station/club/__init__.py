"""A club: what all stations on a broker tell, as a wall of boards and an archive of their games."""
