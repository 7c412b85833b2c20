"""Rule sets, one TOML file a variant."""
