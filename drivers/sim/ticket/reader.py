"""Reads the bar code of a printed ticket from its picture, with a decoder that shares no code with
the printer (ZXing)."""

from __future__ import annotations

import io

import zxingcpp
from PIL import Image


class NoBarcodeError(ValueError):
    """No whole 18-digit Interleaved 2 of 5 code is in the picture."""


def read_number(png: bytes) -> str:
    """The 18 digits on a picture of a ticket."""
    return read_picture(Image.open(io.BytesIO(png)))


def read_picture(picture: Image.Image) -> str:
    """The 18 digits. A torn code reads as a shorter number, so exactly 18 are asked for."""
    picture = picture.convert("L")
    found = zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.ITF))
    numbers = [code.text for code in found if len(code.text) == 18 and code.text.isdigit()]
    if not numbers:
        raise NoBarcodeError("no 18-digit bar code can be read from the ticket")
    return numbers[0]
