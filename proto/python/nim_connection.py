"""One connection to a server: frames out and in, and signs of life. It knows no requests and no lobby."""

from __future__ import annotations

import re
import socket
from typing import Any

from nim_wire import TO_CLIENT, TO_SERVER, Cursor, NimError, Unknown, cut, decode, encode

PORT = 7646
HELLO_DEADLINE = 10.0  # seconds that the server may take over its welcome


class Closed(NimError):
    """The connection has ended."""


class Lost(Closed):
    """The connection has ended, and another one may work."""


class Connection:
    """A connection that works until a ``Lost`` says that it does not."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self.ping_after = self.gone_after = HELLO_DEADLINE
        self._buffer = bytearray()

    @classmethod
    def open(cls, address: str) -> Connection:
        """Connects. The address is HOST, HOST:PORT, or [IPV6]:PORT."""
        host, port = split_address(address)
        try:
            connected = socket.create_connection((host, port), timeout=HELLO_DEADLINE)
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as error:
            raise Lost(f"no server answers at {host} port {port}: {error}") from None
        return cls(connected)

    def agree(self, ping_after: int, gone_after: int) -> None:
        """Uses the times of the welcome, in milliseconds."""
        self.ping_after = max(1.0, ping_after / 1000)
        self.gone_after = max(self.ping_after + 1.0, gone_after / 1000)

    def send(self, message: Any) -> None:
        """Sends a message. If that fails, the reader gets the error, after what the server said before."""
        frame = encode(TO_SERVER, message)
        try:
            self.socket.sendall(frame)
        except OSError:
            try:
                self.socket.shutdown(socket.SHUT_WR)  # so the server closes too, and reading comes to an end
            except OSError:
                pass  # it is closed already

    def receive(self) -> Any:
        """The next message that this version of the protocol knows."""
        while True:
            body = cut(self._buffer)
            if body is None:
                self._buffer += self._bytes()
                continue
            try:
                return decode(TO_CLIENT, body)
            except Unknown:
                if body[0] == 2:  # a refusal for an unknown reason is still one
                    cursor = Cursor(body[1:])
                    known = {"id": cursor.varint(32), "turn": cursor.varint(32)}
                    return {"Refused": {**known, "refusal": "UnknownReason"}}

    def close(self) -> None:
        self.socket.close()

    def _bytes(self) -> bytes:
        """Some bytes from the server. It is sent a ping when it has been silent for long."""
        try:
            return self._read(self.ping_after)
        except socket.timeout:
            self.send({"Ping": 0})
        try:
            return self._read(self.gone_after - self.ping_after)
        except socket.timeout:
            raise Lost(f"nothing was heard from the server for {self.gone_after:.0f} seconds") from None

    def _read(self, timeout: float) -> bytes:
        self.socket.settimeout(timeout)
        try:
            data = self.socket.recv(4096)
        except socket.timeout:
            raise
        except OSError as error:
            raise Lost(f"the connection broke: {error}") from None
        if not data:
            raise Lost("the server closed the connection")
        return data


def split_address(address: str) -> tuple[str, int]:
    """HOST, HOST:PORT, [IPV6], [IPV6]:PORT or a bare IPV6 as host and port."""
    bare = address.count(":") > 1 and not address.startswith("[")
    match = re.fullmatch(r"(\[[^\[\]]+\]|[^\[\]:]+)(?::([0-9]{1,5}))?", f"[{address}]" if bare else address)
    port = int(match[2] or PORT) if match else 0
    if not match or port > 65535:
        raise NimError(f"{address!r} is not an address; write HOST:PORT, as in 127.0.0.1:{PORT}")
    return match[1].strip("[]"), port
