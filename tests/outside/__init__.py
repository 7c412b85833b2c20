"""The program as others meet it: a board on a wire, a broker, the command line. Nothing here knows its code."""
