"""Posts an answer to a webhook: within a total deadline, without redirects, and only to a network address that is allowed.

The address that is checked is the one that is connected to, so a name that resolves differently a moment later gains nothing. Only the
status line of the response is read; the rest of it does not matter. Proxies of the environment are not used, since a proxy would connect to
an address that nobody checked.
"""

import hmac
import ipaddress
import socket
import ssl
import threading
import time
from functools import cache
from typing import Any
from urllib.parse import quote, urlsplit

from workers.errors import BullpenError, Unavailable
from workers.settings import Settings

WITHIN_S = 10.0
"""Seconds for the whole delivery: name, connection, TLS, request and status line."""

STATUS_LINE_BYTES = 4_096
_UNESCAPED = "/%:=&+,;@!$'()*~-._?"

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_EMBEDDING: tuple[tuple[ipaddress.IPv6Network, int], ...] = (
    (ipaddress.IPv6Network("::ffff:0:0/96"), 0),
    (ipaddress.IPv6Network("::/96"), 0),
    (ipaddress.IPv6Network("64:ff9b::/96"), 0),
    (ipaddress.IPv6Network("2002::/16"), 80),
)
"""IPv6 networks whose addresses hold an IPv4 address, and how many bits follow it: mapped, compatible, NAT64, 6to4."""


class AddressNotAllowed(BullpenError):
    """The webhook's name leads to a loopback, link-local, private or otherwise special address."""


class WebhookAway(Unavailable):
    """The server does not answer in time."""


class WebhookRefused(BullpenError):
    """The server answered, but took the message with another status than 2xx."""


def post(settings: Settings, url: str, body: bytes, *, within_s: float = WITHIN_S) -> None:
    """Post JSON to an allowed URL. Raises `AddressNotAllowed`, `WebhookAway` or `WebhookRefused`."""
    until = time.monotonic() + within_s
    parts = urlsplit(url)
    host, tls = parts.hostname or "", parts.scheme == "https"
    port = parts.port or (443 if tls else 80)
    try:
        with _connect(host, port, settings.webhook_networks, until) as plain:
            connection = _secured(plain, host, until) if tls else plain
            try:
                _send(
                    connection,
                    _request(parts.netloc, parts.path or "/", parts.query, body, _signature(settings.webhook_secret, body)),
                    until,
                )
                status = _status(connection, until)
            finally:
                connection.close()
    except (OSError, ValueError) as error:  # `ssl.SSLError` and timeouts are kinds of OSError
        raise WebhookAway(f"The webhook's server did not take the answer: {type(error).__name__}.") from error
    if not 200 <= status < 300:
        also = " Redirects are not followed." if 300 <= status < 400 else ""
        raise WebhookRefused(f"The webhook's server answered with status {status}.{also}")


def is_allowed(address: Address, networks: tuple[Network, ...]) -> bool:
    """Whether answers may go to this address: it is public, or in a network that the operator names."""
    inner = _embedded(address)
    if any(address in network or (inner is not None and inner in network) for network in networks):
        return True
    return _is_public(address if inner is None else inner)


def _is_public(address: Address) -> bool:
    special = address.is_multicast or address.is_reserved or address.is_private or address.is_loopback or address.is_link_local
    return address.is_global and not special


def _embedded(address: Address) -> ipaddress.IPv4Address | None:
    if isinstance(address, ipaddress.IPv4Address):
        return None
    for network, after in _EMBEDDING:
        if address in network:
            return ipaddress.IPv4Address((int(address) >> after) & 0xFFFFFFFF)
    return None


def _connect(host: str, port: int, networks: tuple[Network, ...], until: float) -> socket.socket:
    """A connection to the first address that is allowed and answers."""
    refused, failed = False, None
    for family, kind, protocol, _, target in _resolve(host, port, until):
        if not is_allowed(ipaddress.ip_address(str(target[0]).partition("%")[0]), networks):
            refused = True
            continue
        connection = socket.socket(family, kind, protocol)
        try:
            connection.settimeout(_left(until))
            connection.connect(target)
            peer = ipaddress.ip_address(str(connection.getpeername()[0]).partition("%")[0])
            if not is_allowed(peer, networks):
                raise AddressNotAllowed("The webhook's connection ended at an address that is not allowed.")
        except OSError as error:
            connection.close()
            failed = error
            continue
        except BaseException:
            connection.close()
            raise
        return connection
    if failed is not None:
        raise failed
    if refused:
        raise AddressNotAllowed(
            "The webhook's name leads to a loopback, link-local or private address. BULLPEN_WEBHOOK_NETWORKS names those that are allowed."
        )
    raise OSError("the name has no address")


def _resolve(host: str, port: int, until: float) -> list[Any]:
    """The addresses of a name. A resolver has its own idea of patience, so it works in a thread that is left behind when time is up."""
    found: list[Any] = []
    faults: list[Exception] = []

    def look_up() -> None:
        try:
            found.extend(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except Exception as error:  # raised again below, in the thread that asked
            faults.append(error)

    thread = threading.Thread(target=look_up, name="bullpen-resolve", daemon=True)
    thread.start()
    thread.join(_left(until))
    if faults:
        raise faults[0]
    if thread.is_alive():
        raise TimeoutError("the name was not resolved in time")
    return found


def _left(until: float) -> float:
    left_s = until - time.monotonic()
    if left_s <= 0:
        raise TimeoutError("the time for this answer is over")
    return left_s


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _secured(plain: socket.socket, host: str, until: float) -> ssl.SSLSocket:
    """TLS over the connection; its certificate must be of this host."""
    plain.settimeout(_left(until))
    secured = _tls().wrap_socket(plain, server_hostname=host, do_handshake_on_connect=False)
    try:
        secured.do_handshake()
    except BaseException:
        secured.close()
        raise
    return secured


def _signature(secret: str | None, body: bytes) -> str:
    """The header by which a receiver knows that we sent this, and when; nothing without a secret."""
    if secret is None:
        return ""
    at = int(time.time())
    digest = hmac.new(secret.encode(), f"{at}.".encode() + body, "sha256").hexdigest()
    return f"X-Bullpen-Signature: t={at},v1={digest}\r\n"


def _request(server: str, path: str, query: str, body: bytes, more: str = "") -> bytes:
    target = quote(path, safe=_UNESCAPED) + (f"?{quote(query, safe=_UNESCAPED)}" if query else "")
    head = (
        f"POST {target} HTTP/1.1\r\nHost: {server}\r\nUser-Agent: bullpen\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n{more}Connection: close\r\n\r\n"
    )
    return head.encode("ascii") + body


def _send(connection: socket.socket, data: bytes, until: float) -> None:
    rest = memoryview(data)
    while rest:
        connection.settimeout(_left(until))
        rest = rest[connection.send(rest) :]


def _status(connection: socket.socket, until: float) -> int:
    """The status code of the response. Interim responses (1xx) do not occur: the request does not ask for them."""
    line = b""
    while b"\n" not in line:
        connection.settimeout(_left(until))
        piece = connection.recv(STATUS_LINE_BYTES - len(line))
        if not piece:
            raise OSError("the connection was closed before the status line")
        line += piece
        if b"\n" not in line and len(line) >= STATUS_LINE_BYTES:
            raise ValueError("the status line is too long")
    version, _, rest = line.partition(b"\n")[0].strip().partition(b" ")
    code = rest[:3]
    if not version.startswith(b"HTTP/1.") or not code.isdigit():
        raise ValueError("the server does not speak HTTP/1")
    return int(code)
