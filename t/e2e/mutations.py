"""Damage that the oracle has to notice, done to what was fetched.

Each keeps the segment well-formed: only the one thing is wrong.
"""

import re
import struct

import isobmff


def _patch(data, at, layout, value):
    return data[:at] + struct.pack(layout, value) \
        + data[at + struct.calcsize(layout):]


def _tfdt(data, delta):
    tfdt = isobmff.top(data).one('moof/traf/tfdt')
    layout, value = (('>Q', tfdt.u64(4)) if tfdt.version == 1
                     else ('>I', tfdt.u32(4)))
    return _patch(data, tfdt.body + 4, layout, value + delta)


def tfdt_plus(data, header):
    return _tfdt(data, 1)


def tfdt_minus(data, header):
    return _tfdt(data, -1)


def drop_last(data, header):
    """The last sample goes: its row of the trun, its bytes, all sizes."""
    segment = isobmff.Segment(data, header)
    trun = segment.truns[-1]
    flags = trun.flags
    row = 4 * sum(bool(flags & f) for f in (0x100, 0x200, 0x400, 0x800))
    place, size = segment.extents[-1]
    traf = segment.moof.one('traf')
    out = bytearray(data)
    del out[place:place + size]
    struct.pack_into('>I', out, segment.mdat.start,
                     segment.mdat.end - segment.mdat.start - size)
    struct.pack_into('>I', out, trun.body + 4, trun.u32(4) - 1)
    for box in (segment.moof, traf, trun):
        struct.pack_into('>I', out, box.start, box.end - box.start - row)
    for each in segment.truns:
        offset = struct.unpack_from('>i', out, each.body + 8)[0]
        struct.pack_into('>i', out, each.body + 8, offset - row)
    del out[trun.end - row:trun.end]
    return bytes(out)


def _two(segment):
    """Two neighbours that differ, with sizes in the trun."""
    for n in range(1, len(segment.samples) - 1):
        a, b = segment.samples[n], segment.samples[n + 1]
        if a.hash != b.hash and 'size' in segment.entries[n] \
                or a.hash != b.hash and a.size == b.size:
            return n
    raise ValueError('no two samples to swap')


def swap(data, header):
    """Two neighbours change places; times stay."""
    segment = isobmff.Segment(data, header)
    n = _two(segment)
    (at, size), (_, other) = segment.extents[n], segment.extents[n + 1]
    first, second = data[at:at + size], data[at + size:at + size + other]
    data = data[:at] + second + first + data[at + size + other:]
    if size != other:
        data = _patch(data, segment.entries[n]['size'], '>I', other)
        data = _patch(data, segment.entries[n + 1]['size'], '>I', size)
    return data


def flip(data, header):
    """One bit of the payload."""
    segment = isobmff.Segment(data, header)
    at, size = segment.extents[len(segment.extents) // 2]
    at += size // 2
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]


def composition(data, header):
    """One composition offset, a tick later."""
    segment = isobmff.Segment(data, header)
    for place in segment.entries:
        if 'composition' in place:
            at = place['composition']
            value = struct.unpack_from('>i', data, at)[0]
            return _patch(data, at, '>i', value + 1)
    raise ValueError('no composition offset')


def duration(data, header):
    """One sample a tick longer, the next a tick shorter."""
    segment = isobmff.Segment(data, header)
    places = [p['duration'] for p in segment.entries if 'duration' in p]
    if len(places) < 3:
        tfhd = segment.tfhd
        if 'duration' not in segment.tfhd_values:
            raise ValueError('no duration to change')
        at = tfhd.body + 8 + (8 if tfhd.flags & 1 else 0) \
            + (4 if tfhd.flags & 2 else 0)
        return _patch(data, at, '>I', segment.tfhd_values['duration'] + 1)
    for at, delta in ((places[0], 1), (places[1], -1)):
        value = struct.unpack_from('>I', data, at)[0]
        data = _patch(data, at, '>I', value + delta)
    return data


SEGMENT = {
    'tfdt+1': tfdt_plus, 'tfdt-1': tfdt_minus, 'drop-last': drop_last,
    'swap': swap, 'flip': flip, 'composition': composition,
    'duration': duration,
}


def shift_header(data):
    """The edit list a tick later, or one put in place of none."""
    box = isobmff.top(data).one('moov/trak')
    elst = box.maybe('edts/elst')
    if elst is None:
        mdhd = box.one('mdia/mdhd')
        at = mdhd.body + (20 if mdhd.version == 1 else 12)
        return _patch(data, at, '>I', mdhd.u32(at - mdhd.body) + 1)
    at, layout = ((elst.body + 16, '>q') if elst.version == 1
                  else (elst.body + 12, '>i'))
    return _patch(data, at, layout,
                  struct.unpack_from(layout, data, at)[0] + 1)


def lose_segment(text):
    """The last segment of a media playlist goes."""
    return re.sub(rb'#EXTINF:[^\n]*\n[^#\n]+\n(?=#EXT-X-ENDLIST)', b'', text)


def lengthen(text):
    """The first EXTINF, ten microseconds longer."""
    return re.sub(rb'#EXTINF:([\d.]+)',
                  lambda m: b'#EXTINF:%.6f' % (float(m.group(1)) + 1e-5),
                  text, count=1)


ALL = sorted(SEGMENT) + ['header', 'lose-segment', 'extinf']


class Mutation:
    """Called with every path and body a client fetches."""

    def __init__(self, name, track, number):
        self.name, self.track, self.number = name, track, number
        self.header = None

    def __call__(self, path, body):
        parts = path.rsplit('/', 2)
        if parts[1] != self.track:
            return body
        if parts[2].startswith('init'):
            self.header = isobmff.Header(body)
            return shift_header(body) if self.name == 'header' else body
        if parts[2].endswith('.m3u8'):
            return {'lose-segment': lose_segment,
                    'extinf': lengthen}.get(self.name, lambda b: b)(body)
        if self.name in SEGMENT and re.match(r'%d[.-]' % self.number,
                                             parts[2]):
            return SEGMENT[self.name](body, self.header)
        return body
