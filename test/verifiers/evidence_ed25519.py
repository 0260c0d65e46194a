"""Verifies signatures of Ed25519 (RFC 8032, section 5.1), in plain arithmetic.

Points are (X, Y, Z, T) with x = X/Z, y = Y/Z and x*y = T/Z. It holds no secret, so its time may depend on its input.
"""
import hashlib
from functools import lru_cache

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
IDENTITY = (0, 1, 1, 0)


def recover_point(data):
    """The point of 32 bytes; ValueError if the bytes are not the one encoding of a point."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if len(data) != 32 or y >= P:
        raise ValueError("not a point")
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    if x * x % P != square or (x == 0 and sign == 1):
        raise ValueError("not a point")
    if x & 1 != sign:
        x = P - x
    return (x, y, 1, x * y % P)


def add(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def multiply(scalar, point):
    total = IDENTITY
    while scalar:
        if scalar & 1:
            total = add(total, point)
        point = add(point, point)
        scalar >>= 1
    return total


def encode_point(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


BASE = recover_point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


@lru_cache(maxsize=4096)
def is_signed(public_key, message, signature):
    """Whether [S]B - [k]A is R. S must be below the order, or one signature would have several encodings."""
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    if s >= ORDER:
        return False
    try:
        x, y, z, t = recover_point(public_key)
    except ValueError:
        return False
    k = int.from_bytes(hashlib.sha512(r + public_key + message).digest(), "little") % ORDER
    return encode_point(add(multiply(s, BASE), multiply(k, (P - x, y, z, P - t)))) == r
