"""The kinds of values of which the messages are made: each reads itself from a Cursor, and writes itself behind some
bytes. It knows no message; nim_wire.py does. Nothing from the network is believed before it was checked.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

MAX_NAME_CHARS = 24


class NimError(Exception):
    """Whatever goes wrong here; its text is fit to be shown."""


class Malformed(NimError):
    """The bytes are no message."""


class Unknown(Malformed):
    """An index that this version does not have. The whole frame is to be skipped."""


class Unfit(NimError):
    """A value that does not fit into a message."""


class Cursor:
    """Bytes, and how far they were read."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        taken = self.data[self.at : self.at + count]
        if len(taken) < count:
            raise Malformed("the message ends too early")
        self.at += count
        return taken

    def varint(self, bits: int) -> int:
        first = self.take(1)[0]
        if first <= 250:
            return first
        width = {251: 2, 252: 4, 253: 8}.get(first)
        if width is None or 8 * width > bits:
            raise Malformed(f"byte {first} does not begin a number of {bits} bits")
        return int.from_bytes(self.take(width), "little")


def varint(number: int) -> bytes:
    if number <= 250:
        return bytes([number])
    prefix, width = next((p, w) for p, w in ((251, 2), (252, 4), (253, 8)) if number < 256**w)
    return bytes([prefix]) + number.to_bytes(width, "little")


class Number:
    """u16, u32 and u64: a varint."""

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def read(self, cursor: Cursor) -> int:
        return cursor.varint(self.bits)

    def write(self, value: int, out: bytearray) -> None:
        if not 0 <= value < 1 << self.bits:
            raise Unfit(f"{value} is no number of {self.bits} bits")
        out += varint(value)


class Byte:
    def read(self, cursor: Cursor) -> int:
        return cursor.take(1)[0]

    def write(self, value: int, out: bytearray) -> None:
        if not 0 <= value <= 255:
            raise Unfit(f"{value} is no byte")
        out.append(value)


class Bool:
    def read(self, cursor: Cursor) -> bool:
        return bool(flag(cursor))

    def write(self, value: bool, out: bytearray) -> None:
        out.append(value)


def flag(cursor: Cursor) -> int:
    byte = cursor.take(1)[0]
    if byte > 1:
        raise Malformed(f"byte {byte} is neither 0 nor 1")
    return byte


class Fixed:
    """This many bytes, as a list of them; the very ones that are given, if any are."""

    def __init__(self, count: int, only: list[int] | None = None) -> None:
        self.count, self.only = count, only

    def read(self, cursor: Cursor) -> list[int]:
        value = list(cursor.take(self.count))
        if self.only and value != self.only:
            raise Malformed("these are not the letters nim")
        return value

    def write(self, value: list[int], out: bytearray) -> None:
        if len(value) != self.count:
            raise Unfit(f"{len(value)} bytes, and it takes {self.count}")
        out += bytes(value)


class Text:
    """At most this many bytes of UTF-8."""

    def __init__(self, most: int) -> None:
        self.most = most

    def read(self, cursor: Cursor) -> str:
        length = cursor.varint(64)
        if length > self.most:
            raise Malformed(f"a text of {length} bytes, and at most {self.most} are allowed")
        try:
            text = cursor.take(length).decode("utf-8")
        except UnicodeDecodeError:
            raise Malformed("a text is not UTF-8") from None
        if not self.fits(text):
            raise Malformed(f"{text!r} cannot stand here")
        return text

    def write(self, value: str, out: bytearray) -> None:
        data = value.encode("utf-8", "replace")
        if len(data) > self.most:
            raise Unfit(f"a text of {len(data)} bytes, and at most {self.most} are allowed")
        out += varint(len(data)) + data

    def fits(self, text: str) -> bool:
        return True


class Name(Text):
    """What a player is called: visible, trimmed, without brackets."""

    def __init__(self) -> None:
        super().__init__(4 * MAX_NAME_CHARS)

    def fits(self, text: str) -> bool:
        hidden = any(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") or c in "[]" for c in text)
        return 1 <= len(text) <= MAX_NAME_CHARS and not hidden and text == " ".join(text.split())


class Code(Text):
    """The code of a lobby."""

    def fits(self, text: str) -> bool:
        return re.fullmatch("[a-z0-9-]+", text) is not None


class Maybe:
    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def read(self, cursor: Cursor) -> Any:
        return self.inner.read(cursor) if flag(cursor) else None

    def write(self, value: Any, out: bytearray) -> None:
        out.append(value is not None)
        if value is not None:
            self.inner.write(value, out)


class Items:
    def __init__(self, item: Any, most: int) -> None:
        self.item, self.most = item, most

    def read(self, cursor: Cursor) -> list[Any]:
        count = cursor.varint(64)
        if count > self.most:
            raise Malformed(f"a list of {count}, and at most {self.most} are allowed")
        return [self.item.read(cursor) for _ in range(count)]

    def write(self, value: list[Any], out: bytearray) -> None:
        out += varint(len(value))
        for item in value:
            self.item.write(item, out)


class Record:
    """Named fields, in order."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def read(self, cursor: Cursor) -> dict[str, Any]:
        return {name: field.read(cursor) for name, field in self.fields.items()}

    def write(self, value: dict[str, Any], out: bytearray) -> None:
        for name, field in self.fields.items():
            field.write(value[name], out)


class Choice:
    """One of several, by index, each with what follows its name, or None."""

    def __init__(self, **choices: Any) -> None:
        self.choices: list[tuple[str, Any]] = list(choices.items())

    def read(self, cursor: Cursor) -> Any:
        index = cursor.varint(32)
        if index >= len(self.choices):
            raise Unknown(f"there is no index {index} here")
        name, inner = self.choices[index]
        return name if inner is None else {name: inner.read(cursor)}

    def write(self, value: Any, out: bytearray) -> None:
        name, payload = split(value)
        names = [known for known, _ in self.choices]
        if name not in names:
            raise Unfit(f"{name!r} is none of {', '.join(names)}")
        index = names.index(name)
        out += varint(index)
        if self.choices[index][1] is not None:
            self.choices[index][1].write(payload, out)


def split(value: Any) -> tuple[str, Any]:
    """The name of a choice and what follows it: ``{"Ping": 7}`` is Ping and 7, ``"Outside"`` is Outside and {}."""
    return (value, {}) if isinstance(value, str) else next(iter(value.items()))
