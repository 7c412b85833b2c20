"""One file an arm: orders in millimetres in, bytes out; bytes in, what became of the order out."""
