"""Training: self-play, fitting and matches that make the weights in engine/trained; see README.md here."""
