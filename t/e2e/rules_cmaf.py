"""Rules of CMAF headers and segments, and of the times in them."""

import struct
from fractions import Fraction

import codec_strings

UNITY = struct.pack('>9I', 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)

ORDER = {
    'moov': ['mvhd', 'trak', 'mvex'],
    'moov/trak': ['tkhd', 'edts', 'mdia', 'udta'],
    'moov/trak/mdia': ['mdhd', 'hdlr', 'elng', 'minf'],
    'moov/trak/mdia/minf': ['vmhd|smhd', 'dinf', 'stbl'],
    'moov/trak/mdia/minf/stbl': ['stsd', 'stts', 'stsc', 'stsz', 'stco',
                                 'sgpd', 'stss'],
}
OPTIONAL = {'edts', 'udta', 'elng', 'sgpd', 'stss'}

IN_BAND = {'avc3', 'hev1', 'dvhe'}


def check_header(rules, track):
    name, header = track.name, track.header
    boxes, moov, trak = header.file, header.moov, header.trak
    rules.equal('CMAF 7.3.1 a header is ftyp and moov',
                [b.name for b in boxes.children], ['ftyp', 'moov'], name)
    check_brands(rules, boxes.one('ftyp'), name)
    for path, expected in ORDER.items():
        check_order(rules, boxes.one(path), expected, name)
    rules.expect('CMAF 7.5.2 no udta or meta at file level',
                 not moov.all('udta') and not moov.all('meta'), name)
    dref = trak.one('mdia/minf/dinf/dref')
    rules.equal('CMAF 7.3.1 data is in the file itself',
                (dref.u32(4), dref.data[dref.body + 16:dref.body + 20]),
                (1, b'\0\0\0\1'), name)

    mvhd, tkhd = moov.one('mvhd'), trak.one('tkhd')
    at = 32 if mvhd.version == 1 else 20
    rules.equal('CMAF 7.5.1 mvhd has rate and volume 1 and the unity matrix',
                (mvhd.payload[at:at + 6], mvhd.payload[at + 16:at + 52]),
                (b'\0\1\0\0\1\0', UNITY), name)
    rules.equal('RFC8216bis 3.1.2 mvhd and tkhd have duration 0',
                (mvhd.u64(24) if mvhd.version == 1 else mvhd.u32(16),
                 tkhd.u64(28) if tkhd.version == 1 else tkhd.u32(20)),
                (0, 0), name)
    if track.kind == 'audio':
        rules.equal('CMAF 7.5.4 tkhd of audio has no size',
                    tkhd.payload[-8:], bytes(8), name)
        smhd = trak.one('mdia/minf/smhd')
        rules.equal('CMAF 7.5.7 smhd has balance 0', smhd.payload[4:6],
                    b'\0\0', name)
    else:
        vmhd = trak.one('mdia/minf/vmhd')
        rules.equal('CMAF 7.5.6 vmhd has graphics mode and colour 0',
                    vmhd.payload[4:12], bytes(8), name)

    stbl = trak.one('mdia/minf/stbl')
    rules.equal('CMAF 7.5.11 7.5.12 sample tables of the header are empty',
                [stbl.one('stts').u32(4), stbl.one('stsc').u32(4),
                 stbl.one('stsz').u32(4), stbl.one('stsz').u32(8),
                 stbl.one('stco').u32(4)], [0] * 5, name)
    rules.equal('CMAF 7.5.14 trex is of the one track', header.trex_track,
                header.track_id, name)
    mehd = moov.maybe('mvex/mehd')
    if mehd is not None:
        scale = mvhd.u32(20 if mvhd.version == 1 else 12)
        told = mehd.u64(4) if mehd.version == 1 else mehd.u32(4)
        real = Fraction(track.starts()[-1], header.timescale) * scale
        rules.expect('CMAF 7.3.2.1 mehd is the duration of the presentation',
                     abs(told - real) <= 1, '%s: %d, %s'
                     % (name, told, float(real)))
    rules.expect('CMAF 7.5.13 one edit at most: rate 1, duration 0',
                 len(header.edits) <= 1 and all(
                     e.duration == 0 and e.rate == 0x10000
                     and e.media_time >= 0 for e in header.edits),
                 '%s: %s' % (name, header.edits))
    rules.equal('RFC8216bis 3.1.2 one sample entry', len(header.entries), 1,
                name)
    check_entry(rules, name, header.entries[0])


def check_brands(rules, ftyp, name):
    brands = [ftyp.payload[n:n + 4] for n in range(8, len(ftyp.payload), 4)]
    major = ftyp.payload[:4]
    rules.expect('RFC8216bis 3.1.2 a brand compatible with iso6',
                 b'iso6' in brands, '%s: %s' % (name, brands))
    rules.expect('CMAF 7.2 brand cmfc is listed', b'cmfc' in brands, brands)
    rules.expect('CMAF 7.2 the major brand is listed too', major in brands,
                 '%s: %s' % (major, brands))
    if major in (b'cmfc', b'cmf2', b'iso6'):
        rules.equal('CMAF 7.2 minor version 0', ftyp.payload[4:8], bytes(4),
                    name)


def check_order(rules, box, expected, name):
    allowed = [set(e.split('|')) for e in expected]
    at, seen = 0, []
    for child in box.children:
        seen.append(child.name)
        while at < len(allowed) and child.name not in allowed[at]:
            if not allowed[at] & OPTIONAL:
                break
            at += 1
        if at == len(allowed) or child.name not in allowed[at]:
            break
        at += 1
    else:
        if all(a & OPTIONAL for a in allowed[at:]):
            rules.expect('CMAF 7.3.1 boxes in order, each once', True)
            return
    rules.expect('CMAF 7.3.1 boxes in order, each once', False,
                 '%s: %s in %s, expected %s' % (name, seen, box.name,
                                                expected))


def check_entry(rules, name, entry):
    if 'esds' in entry.children:
        rules.equal('CMAF 10.3.4.2.3 ES_ID 0',
                    codec_strings.descriptors(entry.children['esds'])[1], 0,
                    name)
    if entry.kind in IN_BAND:
        record = entry.children.get('hvcC') or entry.children.get('avcC')
        rules.expect('A1.10 parameter sets in the record: avc1, hvc1, dvh1',
                     record is not None and not parameter_sets(entry),
                     '%s: %s' % (name, entry.kind))
    else:
        rules.expect('A1.10 parameter sets in the record: avc1, hvc1, dvh1',
                     True)


def parameter_sets(entry):
    """Whether a record holds every kind of parameter set."""
    if entry.kind == 'avc3':
        return entry.children['avcC'].payload[5] & 31 > 0
    config = entry.children['hvcC'].payload
    kinds, at = set(), 23
    for _ in range(config[22]):
        count = struct.unpack_from('>H', config, at + 1)[0]
        if count:
            kinds.add(config[at] & 63)
        at += 3
        for _ in range(count):
            at += 2 + struct.unpack_from('>H', config, at)[0]
    return {32, 33, 34} <= kinds


# --- segments

def check_segments(rules, track):
    header, time = track.header, None
    negative = False
    for number, segment in enumerate(track.segments, 1):
        where = '%s segment %d' % (track.name, number)
        rules.equal('MSE a segment is styp, one moof and its mdat',
                    [b.name for b in segment.file.children],
                    ['styp', 'moof', 'mdat'], where)
        styp = segment.file.one('styp')
        rules.expect('CMAF 7.2 styp has the brands msdh and cmfs',
                     styp.payload[:4] == b'msdh' and
                     {b'msdh', b'cmfs'} <= {
                         styp.payload[n:n + 4]
                         for n in range(8, len(styp.payload), 4)},
                     '%s: %s' % (where, styp.payload))
        rules.equal('CMAF 7.3.1 moof is mfhd and one traf of tfhd tfdt trun',
                    ([b.name for b in segment.moof.children],
                     [b.name for b in segment.moof.one('traf').children]),
                    (['mfhd', 'traf'],
                     ['tfhd', 'tfdt'] + ['trun'] * len(segment.truns)), where)
        rules.equal('CMAF 7.5.16 tfhd: default-base-is-moof, no base offset',
                    segment.tfhd.flags & 0x20001, 0x20000, where)
        rules.equal('CMAF 7.5.16 track_ID is that of the header',
                    segment.track_id, header.track_id, where)
        rules.expect('CMAF 7.5.17 trun is version 0 or 1 and has an offset',
                     all(t.version <= 1 and t.flags & 1
                         for t in segment.truns), where)
        rules.equal('RFC8216bis 3.1.2 tfdt in every traf, of version 1',
                    segment.tfdt.version, 1, where)
        rules.equal('ISO/IEC 14496-12 mfhd numbers the segments',
                    segment.sequence, number, where)
        if time is not None:
            rules.equal('A7.3 CMAF 7.3.2.2 tfdt is the sum of the durations',
                        segment.decode_time, time, where)
        time = segment.end_time
        rules.equal('CMAF 7.3.2.3 the samples are the mdat',
                    (segment.extents[0][0],
                     sum(size for _, size in segment.extents)),
                    (segment.mdat.body,
                     segment.mdat.end - segment.mdat.body), where)
        rules.expect('A7.4 CMAF 7.3.2.4 a segment starts with a sync sample',
                     segment.samples[0].sync, where)
        negative |= any(s.pts + header.media_time < s.dts
                        for s in segment.samples)
    if track.kind == 'video':
        rules.expect('CMAF 9.2.1 negative offsets or an edit list, not both',
                     not (negative and header.edits), track.name)


# --- cuts

def check_times(rules, tracks, medias, target):
    frame = Fraction(1, 1000)
    for track in tracks.values():
        if track.kind == 'video':
            frame = max(Fraction(s.duration, track.header.timescale)
                        for s in track.samples)
            break
    origin = min(max(Fraction(0), start_of(t)) for t in tracks.values())
    for name, media in medias.items():
        track = tracks[name]
        scale = track.header.timescale
        real = [Fraction(t, scale) for t in track.starts()]
        real[0] = origin
        sums = [Fraction(0)]
        for _, duration in media.segments:
            sums.append(sums[-1] + duration)
        errors = [s - (r - origin) for s, r in zip(sums, real)]
        rules.expect('A8.1 sum of EXTINF over any run within one video frame',
                     max(errors) - min(errors) <= frame, '%s: %s'
                     % (name, [float(e) for e in errors][:9]))
    check_cuts(rules, tracks, target, origin)


def start_of(track):
    return Fraction(min(s.pts for s in track.samples), track.header.timescale)


def expected_cuts(track, target, origin):
    """Where the reference video has to be cut, in its ticks."""
    slack = Fraction(1, 2)
    scale = track.header.timescale
    groups = [[Fraction(t, scale) for t in g] for g in pictures(track)]
    end = Fraction(max(s.pts + s.duration for s in track.samples), scale)
    # Before a video that is late the others are cut at every target.
    start = origin
    while start_of(track) - start > target + slack:
        start += target
    cuts = []
    groups = [(t, f) for t, f in groups if t > groups[0][0]]
    while groups and end > start + target + slack:
        inside = [g for g in groups if g[0] <= start + target + slack]
        sync, start = inside[-1] if inside else groups[0]
        groups = [g for g in groups if g[0] > sync]
        cuts.append(sync * scale)
    return cuts


def pictures(track):
    """Sync sample and earliest time of each group of pictures."""
    groups = []
    for sample in track.samples:
        if sample.sync:
            groups.append([sample.pts, sample.pts])
        elif groups:
            groups[-1][1] = min(groups[-1][1], sample.pts)
    # Where pictures in front are earlier than the sync sample before, times
    # are in disorder and nothing can be cut.
    return [g for n, g in enumerate(groups)
            if n == 0 or g[1] > groups[n - 1][0]]


def check_cuts(rules, tracks, target, origin):
    videos = [t for t in tracks.values() if t.kind == 'video']
    if not videos:
        for track in tracks.values():
            longest = max(b - a for a, b in zip(track.starts(),
                                                track.starts()[1:]))
            rules.expect('A7.7 no segment longer than target + 0.5 s',
                         Fraction(longest, track.header.timescale)
                         <= target + Fraction(1, 2), track.name)
        return
    # the file's first one, in whatever order they are listed
    reference = min(videos, key=lambda t: int(t.name[1:]))
    got = [s.samples[0].pts for s in reference.segments[1:]]
    # Leading pictures come before the sync sample they follow in the file.
    starts = reference.starts()[1:-1]
    rules.equal('A7.4 A7.7 cuts at the last key frame within target + 0.5 s',
                got, expected_cuts(reference, target, origin), reference.name)
    scale = reference.header.timescale
    cuts = [Fraction(p, scale) for p in starts]
    for track in tracks.values():
        if track is reference:
            continue
        own = [Fraction(s.samples[0].pts, track.header.timescale)
               for s in track.segments[1:]]
        times = sorted(Fraction(s.pts, track.header.timescale)
                       for s in track.samples
                       if track.kind == 'audio' or s.sync)
        wanted = []
        for cut in cuts:
            first = next((t for t in times if t >= cut), None)
            if first is not None and first > times[0] \
                    and first not in wanted:
                wanted.append(first)
        # After the last key frame the grid goes on for the others.
        rules.equal('A8.22 the tracks are cut at the same times',
                    own[:len(wanted)], wanted, track.name)
