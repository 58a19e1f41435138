"""Files as nobody would write them: a sound one, changed."""

import random
import struct

WORDS = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff,
         0x80000000, 0xffffffff]


def interesting(rng, size):
    value = rng.choice(WORDS) if rng.random() < 0.7 else rng.getrandbits(32)
    return struct.pack(">Q", value)[-size:]


def spot(rng, data):
    """Mostly where headers stand: at the begin, at the end, at a box."""
    where = rng.random()
    if where < 0.4:
        return rng.randrange(min(len(data), 4096))
    if where < 0.6:
        return rng.randrange(max(0, len(data) - 4096), len(data))
    if where < 0.8:
        name = rng.choice([b"moov", b"trak", b"stbl", b"stsz", b"stco", b"stsc",
                           b"stts", b"ctts", b"stss", b"elst", b"moof",
                           b"traf", b"trun", b"tfhd", b"stsd", b"mdat",
                           b"\x1a\x45\xdf\xa3", b"\x1f\x43\xb6\x75",
                           b"\x1c\x53\xbb\x6b", b"\x16\x54\xae\x6b",
                           b"OggS", b"\x47", b"fLaC", b"ID3"])
        at = data.find(name, rng.randrange(len(data)))
        if at >= 0:
            return min(len(data) - 1, max(0, at + rng.randrange(-4, 24)))
    return rng.randrange(len(data))


def change(rng, data):
    """One change, in place or not; data is a bytearray that is not empty."""
    at = spot(rng, data)
    kind = rng.randrange(9)

    if kind == 0:
        data[at] ^= 1 << rng.randrange(8)
    elif kind == 1:
        data[at] = rng.randrange(256)
    elif kind == 2:
        data[at:at + 4] = interesting(rng, 4)
    elif kind == 3:
        data[at:at + 2] = interesting(rng, 2)
    elif kind == 4:
        data[at:at + 8] = interesting(rng, 8)
    elif kind == 5:
        del data[at:at + rng.choice([1, 4, 188, 1000])]
    elif kind == 6:
        n = rng.choice([1, 4, 8, 188])
        data[at:at] = bytes(rng.getrandbits(8) for _ in range(n))
    elif kind == 7:
        n = rng.choice([4, 8, 64, 188])
        other = rng.randrange(len(data))
        data[at:at + n] = data[other:other + n]
    else:
        n = rng.choice([8, 32, 512])
        data[at:at] = data[at:at + n]


def mutate(rng, data):
    data = bytearray(data)

    for _ in range(rng.choice([1, 1, 1, 2, 4, 16])):
        if not data:
            break
        change(rng, data)

    if rng.random() < 0.15:
        del data[rng.randrange(len(data) + 1):]
    elif rng.random() < 0.05:
        data += bytes(rng.getrandbits(8) for _ in range(rng.randrange(200)))

    return bytes(data)


def generator(seed):
    return random.Random(seed)
