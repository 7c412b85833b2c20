"""Who may act on the page. Everybody may watch; people at the station's own screen and who has the PIN may act."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from dataclasses import dataclass, field

from station.rates import Rate

COOKIE = "dambord"
SIGNED_IN_S = 12 * 3600
"""How long who has given the PIN may act; a station that starts anew asks again."""
ATTEMPTS = Rate(per_s=1 / 60, burst=5)
"""Wrong PINs from one place: five at once, then one a minute."""
ALL_ATTEMPTS = Rate(per_s=1 / 120, burst=30)
"""Wrong PINs in all: trying the half of the PINs of four digits takes a week, of six digits two years."""
MOST_SIGNED_IN = 100
MOST_PLACES = 1000


@dataclass(frozen=True, slots=True)
class Caller:
    """Where a request comes from."""

    place: str
    """An address, of IPv6 the network: what is limited together."""
    is_here: bool
    """Whether it comes from the station's own machine, which stands at the table."""


HERE = Caller("here", is_here=True)


def caller(client: str | None, arrived_at: str | None) -> Caller:
    """Who calls from an address, over one of this machine's own; a socket without addresses is this machine's."""
    if client is None:
        return HERE
    try:
        address = ipaddress.ip_address(client.partition("%")[0])
    except ValueError:
        return Caller(client, is_here=False)
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    is_here = address.is_loopback or client == arrived_at
    if isinstance(address, ipaddress.IPv6Address) and not is_here:
        return Caller(str(ipaddress.ip_network((address, 64), strict=False)), is_here=False)
    return Caller(str(address), is_here)


class WrongPin(Exception):
    """The PIN is not the station's."""


class TooManyPins(Exception):
    """Too many wrong PINs were given; a right one is not looked at either."""


@dataclass
class Rights:
    """Tells who may act. Without a PIN nobody can sign in; `is_open`: there is nothing to protect (the demo).

    Times are seconds of a monotonic clock. Used by the web server's thread alone.
    """

    pin: str = ""
    is_open: bool = False
    _signed_in: dict[str, float] = field(default_factory=dict)
    _attempts: dict[str, Rate] = field(default_factory=dict)
    _all_attempts: Rate = ALL_ATTEMPTS

    def may_act(self, who: Caller, token: str, now_s: float) -> bool:
        """Whether who calls with this token may do more than watch."""
        return self.is_open or who.is_here or self._signed_in.get(token, 0.0) > now_s

    def sign_in(self, who: Caller, pin: str, now_s: float) -> str:
        """The token for who gives the PIN; WrongPin, or TooManyPins before the PIN is looked at."""
        mine, everybody = self._attempts.get(who.place, ATTEMPTS).once(now_s), self._all_attempts.once(now_s)
        if mine is None or everybody is None:
            raise TooManyPins
        if not self.pin or not hmac.compare_digest(pin.encode(), self.pin.encode()):
            self._count(who.place, mine, now_s)
            self._all_attempts = everybody
            raise WrongPin
        self._signed_in = {token: until_s for token, until_s in self._signed_in.items() if until_s > now_s}
        if len(self._signed_in) >= MOST_SIGNED_IN:
            del self._signed_in[min(self._signed_in, key=self._signed_in.__getitem__)]
        token = secrets.token_urlsafe(24)
        self._signed_in[token] = now_s + SIGNED_IN_S
        return token

    def sign_out(self, token: str) -> None:
        """Whoever has this token may only watch from now on."""
        self._signed_in.pop(token, None)

    def _count(self, place: str, rate: Rate, now_s: float) -> None:
        if len(self._attempts) >= MOST_PLACES:
            self._attempts = {name: one for name, one in self._attempts.items() if not one.is_idle(now_s)}
        self._attempts[place] = rate
