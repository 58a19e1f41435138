"""Reader of ISO base media files for the tests, independent of the module.

Everything here raises BoxError with a sentence on the first thing that is not
as ISO/IEC 14496-12 has it; nothing is repaired.
"""

import hashlib
import struct
from collections import namedtuple
from fractions import Fraction

CONTAINERS = {
    b'moov', b'trak', b'edts', b'mdia', b'minf', b'dinf', b'stbl', b'mvex',
    b'moof', b'traf', b'udta',
}

SYNC_MASK = 0x00010000


class BoxError(Exception):
    pass


def sha(data):
    return hashlib.sha256(data).hexdigest()


class Box:
    """One box: its four-character type, its place, and its children."""

    def __init__(self, data, kind, start, body, end, children):
        self.data = data
        self.kind = kind
        self.start = start
        self.body = body
        self.end = end
        self.children = children

    @property
    def name(self):
        return self.kind.decode('latin-1')

    @property
    def payload(self):
        return self.data[self.body:self.end]

    @property
    def version(self):
        return self.data[self.body]

    @property
    def flags(self):
        return int.from_bytes(self.data[self.body + 1:self.body + 4], 'big')

    def all(self, path):
        """Every box at a path such as 'trak/mdia'."""
        found = [self]
        for kind in path.split('/'):
            kind = kind.encode('latin-1')
            found = [c for box in found for c in box.children
                     if c.kind == kind]
        return found

    def one(self, path):
        found = self.all(path)
        if len(found) != 1:
            raise BoxError('%s: %d boxes %s, expected one'
                           % (self.name, len(found), path))
        return found[0]

    def maybe(self, path):
        found = self.all(path)
        if len(found) > 1:
            raise BoxError('%s: %d boxes %s' % (self.name, len(found), path))
        return found[0] if found else None

    def u32(self, offset):
        return struct.unpack_from('>I', self.data, self.body + offset)[0]

    def u64(self, offset):
        return struct.unpack_from('>Q', self.data, self.body + offset)[0]


def read_boxes(data, start=0, end=None, lazy_mdat=False):
    """The boxes of a range; containers are opened."""
    end = len(data) if end is None else end
    boxes = []
    while start < end:
        if end - start < 8:
            raise BoxError('%d bytes left over at %d' % (end - start, start))
        size, kind = struct.unpack_from('>I4s', data, start)
        body = start + 8
        if size == 1:
            size = struct.unpack_from('>Q', data, body)[0]
            body += 8
        elif size == 0:
            size = end - start
        if size < body - start or start + size > end:
            if lazy_mdat and kind == b'mdat':
                size = end - start
            else:
                raise BoxError('box %r at %d has size %d, %d are left'
                               % (kind, start, size, end - start))
        children = []
        if kind in CONTAINERS:
            last = start + size
            # QuickTime ends a udta with a zero word.
            if kind == b'udta' and last - body >= 4 \
                    and data[last - 4:last] == b'\0\0\0\0':
                last -= 4
            try:
                children = read_boxes(data, body, last)
            except BoxError:
                if kind != b'udta':
                    raise
        boxes.append(Box(data, kind, start, body, start + size, children))
        start += size
    return boxes


def top(data, lazy_mdat=False):
    return Box(data, b'file', 0, 0, len(data), read_boxes(
        data, lazy_mdat=lazy_mdat))


Edit = namedtuple('Edit', 'duration media_time rate')


def edits(trak):
    elst = trak.maybe('edts/elst')
    if elst is None:
        return []
    count = elst.u32(4)
    layout = '>QqI' if elst.version == 1 else '>IiI'
    size = struct.calcsize(layout)
    return [Edit(*struct.unpack_from(layout, elst.data,
                                     elst.body + 8 + i * size))
            for i in range(count)]


def full_mdhd(trak):
    """Timescale, duration and language of a track."""
    mdhd = trak.one('mdia/mdhd')
    if mdhd.version == 1:
        scale, duration = struct.unpack_from('>IQ', mdhd.data, mdhd.body + 20)
        at = mdhd.body + 32
    else:
        scale, duration = struct.unpack_from('>II', mdhd.data, mdhd.body + 12)
        at = mdhd.body + 20
    code = struct.unpack_from('>H', mdhd.data, at)[0]
    language = ''.join(chr(((code >> shift) & 31) + 0x60)
                       for shift in (10, 5, 0))
    return scale, duration, language


def handler(trak):
    hdlr = trak.one('mdia/hdlr')
    return hdlr.data[hdlr.body + 8:hdlr.body + 12].decode('latin-1')


SampleEntry = namedtuple('SampleEntry', 'kind fixed children')

VISUAL, AUDIO = 78, 28


def sample_entries(trak):
    """Four-character code, fixed part and child boxes of each entry."""
    stsd = trak.one('mdia/minf/stbl/stsd')
    kind = handler(trak)
    found = []
    for entry in read_boxes(stsd.data, stsd.body + 8, stsd.end):
        fixed = VISUAL if kind == 'vide' else AUDIO
        if kind == 'soun' and len(entry.payload) >= 10:
            version = struct.unpack_from('>H', entry.data, entry.body + 8)[0]
            fixed += {1: 16, 2: 36}.get(version, 0)
        children = []
        if kind in ('vide', 'soun') and entry.body + fixed <= entry.end:
            end = entry.end
            if entry.data[end - 4:end] == b'\0\0\0\0' \
                    and end - 4 >= entry.body + fixed:
                try:
                    children = read_boxes(entry.data, entry.body + fixed, end)
                except BoxError:
                    end -= 4
            if not children:
                children = read_boxes(entry.data, entry.body + fixed, end)
            wave = [c for c in children if c.kind == b'wave']
            if wave:
                try:
                    children += read_boxes(entry.data, wave[0].body,
                                           wave[0].end)
                except BoxError:
                    children += read_boxes(entry.data, wave[0].body,
                                           wave[0].end - 4)
        found.append(SampleEntry(
            entry.name, entry.data[entry.body:entry.body + fixed],
            {c.name: c for c in children}))
    return found


# One sample. dts and pts in the track's timescale; pts is presentation time,
# the edit list applied.
Sample = namedtuple('Sample', 'dts pts duration size sync hash')


class Header:
    """A CMAF header: ftyp and moov of one track."""

    def __init__(self, data):
        self.data = data
        self.file = top(data)
        self.moov = self.file.one('moov')
        self.trak = self.moov.one('trak')
        self.timescale, self.duration, self.language = full_mdhd(self.trak)
        self.handler = handler(self.trak)
        self.edits = edits(self.trak)
        tkhd = self.trak.one('tkhd')
        self.track_id = tkhd.u32(20 if tkhd.version == 1 else 12)
        trex = self.moov.one('mvex/trex')
        self.trex_track, _, self.trex_duration, self.trex_size, \
            self.trex_flags = struct.unpack_from('>IIIII', trex.data,
                                                 trex.body + 4)
        self.entries = sample_entries(self.trak)

    @property
    def media_time(self):
        if len(self.edits) > 1:
            raise BoxError('%d edits in a header' % len(self.edits))
        return self.edits[0].media_time if self.edits else 0


class Segment:
    """A CMAF segment: styp, moof and mdat of one track."""

    def __init__(self, data, header):
        self.data = data
        self.file = top(data)
        self.moof = self.file.one('moof')
        self.mdat = self.file.one('mdat')
        self.sequence = self.moof.one('mfhd').u32(4)
        traf = self.moof.one('traf')
        self.tfhd = traf.one('tfhd')
        self.tfdt = traf.one('tfdt')
        self.decode_time = (self.tfdt.u64(4) if self.tfdt.version == 1
                            else self.tfdt.u32(4))
        self._read_tfhd(header)
        self.truns = traf.all('trun')
        self.samples = []
        self.extents = []
        self.entries = []
        dts = self.decode_time
        for trun in self.truns:
            dts = self._read_trun(trun, dts, header)
        self.end_time = dts

    def _read_tfhd(self, header):
        at = self.tfhd.body + 4
        self.track_id = self.tfhd.u32(4)
        at += 4
        values = {}
        for flag, name, layout in (
                (0x1, 'base', '>Q'), (0x2, 'description', '>I'),
                (0x8, 'duration', '>I'), (0x10, 'size', '>I'),
                (0x20, 'flags', '>I')):
            if self.tfhd.flags & flag:
                values[name] = struct.unpack_from(layout, self.data, at)[0]
                at += struct.calcsize(layout)
        if at != self.tfhd.end:
            raise BoxError('tfhd has %d bytes too many' % (self.tfhd.end - at))
        self.tfhd_values = values
        self.default = (values.get('duration', header.trex_duration),
                        values.get('size', header.trex_size),
                        values.get('flags', header.trex_flags))

    def _read_trun(self, trun, dts, header):
        flags, data, at = trun.flags, self.data, trun.body + 8
        count = trun.u32(4)
        first_flags = None
        if not flags & 1:
            raise BoxError('trun without a data offset')
        offset = struct.unpack_from('>i', data, at)[0] + self.moof.start
        at += 4
        if flags & 4:
            first_flags = struct.unpack_from('>I', data, at)[0]
            at += 4
        for n in range(count):
            duration, size, sample_flags = self.default
            if n == 0 and first_flags is not None:
                sample_flags = first_flags
            composition = 0
            place = {}
            for flag, name, layout in (
                    (0x100, 'duration', '>I'), (0x200, 'size', '>I'),
                    (0x400, 'flags', '>I'), (0x800, 'composition', None)):
                if not flags & flag:
                    continue
                place[name] = at
                if name == 'composition':
                    layout = '>i' if trun.version == 1 else '>I'
                value = struct.unpack_from(layout, data, at)[0]
                at += 4
                if name == 'duration':
                    duration = value
                elif name == 'size':
                    size = value
                elif name == 'flags':
                    sample_flags = value
                else:
                    composition = value
            if offset < self.mdat.body or offset + size > self.mdat.end:
                raise BoxError('sample %d lies outside its mdat' % n)
            self.samples.append(Sample(
                dts, dts + composition - header.media_time, duration, size,
                not sample_flags & SYNC_MASK,
                sha(data[offset:offset + size])))
            self.extents.append((offset, size))
            self.entries.append(place)
            offset += size
            dts += duration
        if at != trun.end:
            raise BoxError('trun has %d bytes too many' % (trun.end - at))
        return dts


class SourceTrack:
    """A track of a source file: raw sample times and places."""

    fragmented = False

    def __init__(self, data, trak, movie_timescale):
        self.data = data
        self.handler = handler(trak)
        tkhd = trak.one('tkhd')
        self.track_id = tkhd.u32(20 if tkhd.version == 1 else 12)
        self.timescale, _, self.language = full_mdhd(trak)
        self.movie_timescale = movie_timescale
        self.edits = edits(trak)
        self.entries = sample_entries(trak)
        stbl = trak.one('mdia/minf/stbl')
        self._times(stbl)
        self._places(stbl)
        count = len(self.sizes)
        self.dts, self.durations = self.dts[:count], self.durations[:count]
        stss = stbl.maybe('stss')
        if stss is None:
            self.sync = [True] * count
        else:
            numbers = set(struct.unpack_from('>%dI' % stss.u32(4), stss.data,
                                             stss.body + 8))
            self.sync = [n + 1 in numbers for n in range(count)]

    def _times(self, stbl):
        self.dts, self.durations = [], []
        stts, dts = stbl.one('stts'), 0
        for n in range(stts.u32(4)):
            count, delta = stts.u32(8 + 8 * n), stts.u32(12 + 8 * n)
            for _ in range(count):
                self.dts.append(dts)
                self.durations.append(delta)
                dts += delta
        self.composition = []
        ctts = stbl.maybe('ctts')
        if ctts is not None:
            for n in range(ctts.u32(4)):
                count, offset = struct.unpack_from(
                    '>Ii', ctts.data, ctts.body + 8 + 8 * n)
                self.composition += [offset] * count
        missing = len(self.dts) - len(self.composition)
        self.composition += [0] * missing

    def _places(self, stbl):
        stsz = stbl.maybe('stsz')
        if stsz is None:
            raise BoxError('no stsz')
        uniform, count = stsz.u32(4), stsz.u32(8)
        self.sizes = ([uniform] * count if uniform else list(
            struct.unpack_from('>%dI' % count, stsz.data, stsz.body + 12)))
        stco = stbl.maybe('stco')
        layout = 'I'
        if stco is None:
            stco, layout = stbl.one('co64'), 'Q'
        chunks = struct.unpack_from('>%d%s' % (stco.u32(4), layout),
                                    stco.data, stco.body + 8)
        stsc = stbl.one('stsc')
        runs = [struct.unpack_from('>III', stsc.data, stsc.body + 8 + 12 * n)
                for n in range(stsc.u32(4))]
        self.offsets, self.descriptions = [], set()
        for n, (first, samples, description) in enumerate(runs):
            last = runs[n + 1][0] if n + 1 < len(runs) else len(chunks) + 1
            for chunk in range(first - 1, last - 1):
                at = chunks[chunk]
                for _ in range(samples):
                    if len(self.offsets) == count:
                        break
                    self.offsets.append(at)
                    at += self.sizes[len(self.offsets) - 1]
                    self.descriptions.add(description)
        if len(self.offsets) != count:
            raise BoxError('chunks hold %d samples of %d'
                           % (len(self.offsets), count))

    def presentation(self):
        """(leading empty time, media time, end or None) of the edit list.

        Times in the track's timescale except the first, a Fraction of
        seconds. None when the list is one the module may refuse.
        """
        empty, normal = 0, []
        for edit in self.edits:
            if edit.media_time == -1:
                if normal:
                    return None
                empty += edit.duration
            else:
                normal.append(edit)
        start = Fraction(empty, self.movie_timescale)
        if not normal:
            return start, 0, None
        at = normal[0].media_time
        end = at
        open_ended = False
        for edit in normal:
            if edit.rate != 0x10000:
                return None
            if abs(edit.media_time - end) > Fraction(self.timescale,
                                                     self.movie_timescale):
                return None
            if edit.duration == 0:
                open_ended = True
            end = edit.media_time + nearest(
                edit.duration * self.timescale, self.movie_timescale)
        return start, at, None if open_ended else end

    def samples(self):
        """The samples to be presented, in decode order, and their times.

        A leading run that only precedes the edit is left out up to the last
        sync sample at or before it (audio: all that end a second before it),
        and what follows the last sample inside the edit.
        """
        edit = self.presentation()
        if edit is None:
            return None
        empty, media_time, end = edit
        pts = [d + c for d, c in zip(self.dts, self.composition)]
        first, last = 0, len(pts)
        for n, at in enumerate(pts):
            if self.handler == 'soun':
                if at + self.durations[n] < media_time - self.timescale:
                    first = n + 1
            elif self.sync[n] and at <= media_time:
                first = n
        if end is not None and not self.fragmented:
            inside = [n for n, at in enumerate(pts) if at < end]
            last = inside[-1] + 1 if inside else 0
        shift = nearest(empty.numerator * self.timescale,
                        empty.denominator) - media_time
        exact = empty - Fraction(media_time, self.timescale)
        found = []
        for n in range(first, last):
            found.append((Sample(
                self.dts[n] + shift, pts[n] + shift, self.durations[n],
                self.sizes[n], self.sync[n],
                sha(self.data[self.offsets[n]:
                              self.offsets[n] + self.sizes[n]])),
                exact + Fraction(pts[n], self.timescale)))
        return found


def nearest(value, divisor):
    """Division to the nearest integer, halves away from zero."""
    whole = (2 * abs(value) + divisor) // (2 * divisor)
    return whole if value >= 0 else -whole


class Fragments:
    """Puts the samples of all moof boxes behind those of moov (8.8)."""

    def __init__(self, file, data, tracks):
        self.data, self.end = data, {}
        self.tracks = {t.track_id: t for t in tracks}
        self.trex = {}
        for trex in file.one('moov').all('mvex/trex'):
            self.trex[trex.u32(4)] = [trex.u32(n) for n in (12, 16, 20)]
        for track in tracks:
            track.fragmented = True
            last = track.dts[-1:]
            self.end[track.track_id] = (last[0] + track.durations[-1]
                                        if last else 0)
        for moof in file.all('moof'):
            self.next = moof.start
            for traf in moof.all('traf'):
                self._traf(moof, traf)

    def _traf(self, moof, traf):
        tfhd = traf.one('tfhd')
        number, flags = tfhd.u32(4), tfhd.flags
        values, at = {}, 8
        for bit, size in ((1, 8), (2, 4), (8, 4), (0x10, 4), (0x20, 4)):
            if flags & bit:
                values[bit] = tfhd.u64(at) if size == 8 else tfhd.u32(at)
                at += size
        defaults = [values.get(bit, v) for bit, v in zip(
            (8, 0x10, 0x20), self.trex.get(number, [0, 0, 0]))]
        base = values.get(1, moof.start if flags & 0x20000 else self.next)
        tfdt = traf.maybe('tfdt')
        track = self.tracks.get(number)
        if tfdt is not None and track is not None:
            start = tfdt.u64(4) if tfdt.version == 1 else tfdt.u32(4)
            if track.dts:
                track.durations[-1] = start - track.dts[-1]
            self.end[number] = start
        self.next = base
        for trun in traf.all('trun'):
            self._trun(trun, base, number, defaults)

    def _trun(self, trun, base, number, defaults):
        flags, at, track = trun.flags, 8, self.tracks.get(number)
        if flags & 1:
            self.next = base + struct.unpack_from(
                '>i', self.data, trun.body + at)[0]
            at += 4
        first = None
        if flags & 4:
            first, at = trun.u32(at), at + 4
        for n in range(trun.u32(4)):
            row = list(defaults)
            for place, bit in enumerate((0x100, 0x200, 0x400)):
                if flags & bit:
                    row[place], at = trun.u32(at), at + 4
            composition = 0
            if flags & 0x800:
                composition = struct.unpack_from(
                    '>i', self.data, trun.body + at)[0]
                at += 4
            if n == 0 and first is not None:
                row[2] = first
            if track is not None:
                self._sample(track, number, row, composition)
            self.next += row[1]

    def _sample(self, track, number, row, composition):
        duration, size, flags = row
        track.dts.append(self.end[number])
        track.durations.append(duration)
        track.composition.append(composition)
        track.sizes.append(size)
        track.offsets.append(self.next)
        track.sync.append(track.handler == 'soun' or (
            not flags & SYNC_MASK and (flags >> 24 & 3) != 1))
        self.end[number] += duration


class Source:
    """The tracks of an MP4 or MOV file."""

    def __init__(self, path):
        with open(path, 'rb') as stream:
            self.data = stream.read()
        boxes = top(self.data, lazy_mdat=True)
        self.moov = boxes.one('moov')
        mvhd = self.moov.one('mvhd')
        self.timescale = mvhd.u32(20 if mvhd.version == 1 else 12)
        self.tracks = [SourceTrack(self.data, trak, self.timescale)
                       for trak in self.moov.all('trak')
                       if handler(trak) in ('vide', 'soun')]
        if boxes.all('moof'):
            Fragments(boxes, self.data, self.tracks)
