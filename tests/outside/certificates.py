"""Certificates for a test: an authority, and what it vouches for at 127.0.0.1."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


class Authority:
    """Vouches for others; `file` is what they are told by it. Files are PEM."""

    def __init__(self, folder: Path, name: str = "authority") -> None:
        if shutil.which("openssl") is None:
            pytest.skip("these tests need certificates (apt install openssl)")
        self._folder = folder
        self.file, self._key = folder / f"{name}.pem", folder / f"{name}.key"
        self._openssl(
            *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"),
            *("-keyout", str(self._key), "-out", str(self.file), "-subj", f"/CN={name}"),
        )

    def vouch_for(self, name: str) -> tuple[Path, Path]:
        """A certificate for a name, at 127.0.0.1, and its key."""
        certificate, key, asked = (self._folder / f"{name}.{end}" for end in ("pem", "key", "csr"))
        self._openssl(
            *("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}"),
            *("-keyout", str(key), "-out", str(asked)),
        )
        more = self._folder / f"{name}.ext"
        more.write_text("subjectAltName = IP:127.0.0.1\n")
        self._openssl(
            *("x509", "-req", "-in", str(asked), "-CA", str(self.file), "-CAkey", str(self._key), "-CAcreateserial"),
            *("-days", "2", "-out", str(certificate), "-extfile", str(more)),
        )
        return certificate, key

    def _openssl(self, *arguments: str) -> None:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)
