"""Verifies signatures of Ed25519 (RFC 8032, section 5.1), in plain arithmetic: the standard library has none.
Called by checkpoint.py.

Points are (X, Y, Z, T) with x = X/Z, y = Y/Z and x*y = T/Z. It must never be given a secret: its time depends
on its input.
"""

from __future__ import annotations

import hashlib

_Point = tuple[int, int, int, int]

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_IDENTITY: _Point = (0, 1, 1, 0)
_SIGNATURE_BYTES = 64


def is_signed(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether [S]B - [k]A is R. S is below the order, or one signature would have several encodings."""
    if len(signature) != _SIGNATURE_BYTES:
        return False
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    point = _point_of(public_key)
    if s >= _ORDER or point is None:
        return False
    x, y, z, t = point
    k = int.from_bytes(hashlib.sha512(r + public_key + message).digest(), "little") % _ORDER
    return _encoded(_add(_multiply(s, _BASE), _multiply(k, (_P - x, y, z, _P - t)))) == r


def _point_of(data: bytes) -> _Point | None:
    """The point of 32 bytes; None if the bytes are not the one encoding of a point."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if len(data) != 32 or y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if x * x % _P != square:
        x = x * pow(2, (_P - 1) // 4, _P) % _P
    if x * x % _P != square or (x == 0 and sign == 1):
        return None
    if x & 1 != sign:
        x = _P - x
    return (x, y, 1, x * y % _P)


def _add(p: _Point, q: _Point) -> _Point:
    a = (p[1] - p[0]) * (q[1] - q[0]) % _P
    b = (p[1] + p[0]) * (q[1] + q[0]) % _P
    c = 2 * p[3] * q[3] * _D % _P
    d = 2 * p[2] * q[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % _P, g * h % _P, f * g % _P, e * h % _P)


def _multiply(scalar: int, point: _Point) -> _Point:
    total = _IDENTITY
    while scalar:
        if scalar & 1:
            total = _add(total, point)
        point = _add(point, point)
        scalar >>= 1
    return total


def _encoded(point: _Point) -> bytes:
    inverse = pow(point[2], _P - 2, _P)
    x, y = point[0] * inverse % _P, point[1] * inverse % _P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _base() -> _Point:
    point = _point_of((4 * pow(5, _P - 2, _P) % _P).to_bytes(32, "little"))
    assert point is not None
    return point


_BASE = _base()
