"""FF1: the nine sample vectors that NIST has published for it, and that it is a permutation."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cabinet.tickets.ff1 import Ff1

LETTERS = string.digits + string.ascii_lowercase
AES_128 = "2B7E151628AED2A6ABF7158809CF4F3C"
AES_192 = AES_128 + "EF4359D8D580AA4F"
AES_256 = AES_192 + "7F036D6F04FC6A94"
NONE, DIGITS, WORDS = "", "39383736353433323130", "3737373770717273373737"

# Key, radix, tweak, plain text, cipher text.
SAMPLES = [
    (AES_128, 10, NONE, "0123456789", "2433477484"),
    (AES_128, 10, DIGITS, "0123456789", "6124200773"),
    (AES_128, 36, WORDS, "0123456789abcdefghi", "a9tv40mll9kdu509eum"),
    (AES_192, 10, NONE, "0123456789", "2830668132"),
    (AES_192, 10, DIGITS, "0123456789", "2496655549"),
    (AES_192, 36, WORDS, "0123456789abcdefghi", "xbj3kv35jrawxv32ysr"),
    (AES_256, 10, NONE, "0123456789", "6657667009"),
    (AES_256, 10, DIGITS, "0123456789", "1001623463"),
    (AES_256, 36, WORDS, "0123456789abcdefghi", "xs8a0azh2avyalyzuwd"),
]


def places(text: str) -> list[int]:
    return [LETTERS.index(letter) for letter in text]


@pytest.mark.requirement("PRN-07")
@pytest.mark.parametrize(("key", "radix", "tweak", "plain", "image"), SAMPLES)
def test_published_samples(key: str, radix: int, tweak: str, plain: str, image: str) -> None:
    ff1, salt = Ff1(bytes.fromhex(key), radix), bytes.fromhex(tweak)
    assert ff1.encrypt(places(plain), salt) == places(image)
    assert ff1.decrypt(places(image), salt) == places(plain)


@settings(max_examples=200, deadline=None)
@given(
    st.binary(min_size=32, max_size=32),
    st.binary(max_size=40),
    st.lists(st.integers(min_value=0, max_value=9), min_size=6, max_size=40),
)
def test_what_is_encrypted_is_decrypted(key: bytes, tweak: bytes, digits: list[int]) -> None:
    ff1 = Ff1(key, 10)
    image = ff1.encrypt(digits, tweak)
    assert len(image) == len(digits)
    assert ff1.decrypt(image, tweak) == digits


def test_all_texts_of_six_digits_have_images_of_their_own() -> None:
    """One in forty of them; the whole million is the same in 20 seconds."""
    ff1 = Ff1(bytes(32), 10)
    images = {tuple(ff1.encrypt(places(f"{text:06}"))) for text in range(0, 1_000_000, 40)}
    assert len(images) == 25_000


@pytest.mark.parametrize("digits", [[], [1], [1] * 5, [10] * 8, [-1] * 8])
def test_what_is_too_short_or_no_digit_is_refused(digits: list[int]) -> None:
    with pytest.raises(ValueError, match="digit"):
        Ff1(bytes(16), 10).encrypt(digits)


def test_a_key_of_another_length_is_refused_and_none_is_shown() -> None:
    with pytest.raises(ValueError, match="key size"):
        Ff1(bytes(31), 10)
    with pytest.raises(ValueError, match="radix"):
        Ff1(bytes(32), 1)
    assert repr(Ff1(b"k" * 32, 10)) == "Ff1(radix=10)"
