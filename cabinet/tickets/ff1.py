"""FF1 of NIST SP 800-38G with AES: a keyed permutation over texts of digits.

Every text of a length has exactly one image, and no two have the same; without the key an image tells nothing
about its text or about other images. FF3 and FF3-1 of the same publication have been broken and withdrawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes

_ROUNDS: Final = 10
_BLOCK: Final = 16
_DOMAIN_LEAST: Final = 1_000_000  # fewer texts can be tried out one by one (revision 1 of the publication)


class Ff1:
    """The permutation of one key, for texts of digits 0 to `radix` - 1. Its ``repr`` holds no key."""

    def __init__(self, key: bytes, radix: int) -> None:
        """`key`: 16, 24 or 32 bytes. ValueError for any other, and for a radix outside 2 to 65536."""
        if not 2 <= radix <= 1 << 16:
            raise ValueError(f"radix {radix} is outside 2 to 65536")
        self._cipher: Final = Cipher(algorithms.AES(key), modes.ECB())  # noqa: S305 - FF1 is made of single blocks
        self._radix: Final = radix

    def __repr__(self) -> str:
        return f"Ff1(radix={self._radix})"

    def encrypt(self, digits: Sequence[int], tweak: bytes = b"") -> list[int]:
        left, right = self._halves(digits)
        rounds = _Rounds(self._cipher, self._radix, len(digits), tweak)
        for number in range(_ROUNDS):
            left, right = right, rounds.added(number, left, right, +1)
        return left + right

    def decrypt(self, digits: Sequence[int], tweak: bytes = b"") -> list[int]:
        left, right = self._halves(digits)
        rounds = _Rounds(self._cipher, self._radix, len(digits), tweak)
        for number in reversed(range(_ROUNDS)):
            left, right = rounds.added(number, right, left, -1), left
        return left + right

    def _halves(self, digits: Sequence[int]) -> tuple[list[int], list[int]]:
        if len(digits) < 2 or self._radix ** len(digits) < _DOMAIN_LEAST:
            raise ValueError(f"{len(digits)} digits are too few: all of them could be tried out")
        if not all(0 <= digit < self._radix for digit in digits):
            raise ValueError(f"there is a digit outside 0 to {self._radix - 1}")
        middle = len(digits) // 2
        return list(digits[:middle]), list(digits[middle:])


class _Rounds:
    """The round function for texts of one length under one tweak (steps 3 to 6 of algorithms 7 and 8)."""

    def __init__(self, cipher: Cipher[modes.ECB], radix: int, length: int, tweak: bytes) -> None:
        self._aes: CipherContext = cipher.encryptor()
        self._radix, self._length = radix, length
        longer = length - length // 2
        self._b = (((radix**longer - 1).bit_length()) + 7) // 8  # bytes that hold the longer half
        self._d = 4 * ((self._b + 3) // 4) + 4  # bytes of the key stream that are used
        self._head = bytes([1, 2, 1]) + radix.to_bytes(3, "big") + bytes([10, (length // 2) % 256])
        self._head += length.to_bytes(4, "big") + len(tweak).to_bytes(4, "big")
        self._tweak = tweak + bytes((-len(tweak) - self._b - 1) % _BLOCK)

    def added(self, number: int, half: list[int], other: list[int], sign: int) -> list[int]:
        """`half` plus (or minus) what round `number` makes of the `other` half."""
        source = self._tweak + bytes([number]) + self._value(other).to_bytes(self._b, "big")
        stream = self._stream(self._mac(self._head + source))
        value = self._value(half) + sign * int.from_bytes(stream[: self._d], "big")
        return self._digits(value % self._radix ** len(half), len(half))

    def _mac(self, data: bytes) -> bytes:
        """CBC-MAC with AES: the function PRF of the publication."""
        block = bytes(_BLOCK)
        for at in range(0, len(data), _BLOCK):
            block = self._aes.update(_xor(block, data[at : at + _BLOCK]))
        return block

    def _stream(self, block: bytes) -> bytes:
        stream = block
        for count in range(1, (self._d + _BLOCK - 1) // _BLOCK):
            stream += self._aes.update(_xor(block, count.to_bytes(_BLOCK, "big")))
        return stream

    def _value(self, digits: list[int]) -> int:
        value = 0
        for digit in digits:
            value = value * self._radix + digit
        return value

    def _digits(self, value: int, length: int) -> list[int]:
        digits = [0] * length
        for place in reversed(range(length)):
            value, digits[place] = divmod(value, self._radix)
        return digits


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))
