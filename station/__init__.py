"""The product: sessions that watch boards, guide hands and keep the record; and the service that runs them."""
