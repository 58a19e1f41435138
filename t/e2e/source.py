"""The source as libavformat demuxes it, for the oracle.

Where the bytes of a packet have to change on their way into ISO BMFF, both
sides are brought to one form that keeps everything else:

  H.264, HEVC  start codes and lengths go, and with them access unit
               delimiters, filler and parameter sets (14496-15, 4.3.1, 8.3.1)
  AAC          the ADTS header goes (14496-3, 1.A.2)
  AV1          temporal delimiters go (AV1 in ISO BMFF, 2.4)
"""

import json
import os
import re
import statistics
import subprocess
from collections import namedtuple
from fractions import Fraction

import isobmff

VIDEO = {'h264', 'hevc', 'av1', 'vp9', 'vp8', 'mpeg4'}
AUDIO = {'aac', 'opus', 'ac3', 'eac3', 'flac', 'mp3', 'mp2', 'alac', 'dts'}

Packet = namedtuple('Packet', 'pts dts duration size key discard hash skip '
                    'trim')

ENTRIES = ('packet=stream_index,pts,dts,duration,size,pos,flags,data_hash%s:'
           'packet_side_data=skip_samples,discard_padding:'
           'stream=index,codec_name,codec_type,time_base,sample_rate:'
           'stream_disposition=attached_pic:format=format_name')


def number(text):
    return None if text in (None, 'N/A') else int(text)


class Demuxed:
    """A file as libavformat demuxes it: packets by stream."""

    def __init__(self, path, data=False):
        run = subprocess.run(
            ['ffprobe', '-v', 'error', '-show_packets', '-show_streams',
             '-show_format', '-show_data_hash', 'sha256', '-of',
             'json=compact=1', *(['-show_data'] if data else []),
             '-show_entries', ENTRIES % (',data' if data else ''), path],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.errors = run.stderr.decode('utf-8', 'replace')
        try:
            told = json.loads(run.stdout.decode('utf-8', 'replace') or '{}')
        except ValueError as error:
            told, self.errors = {}, self.errors or str(error)
        self.container = told.get('format', {}).get('format_name', '')
        self.streams = told.get('streams', [])
        self.packets, self.data = {}, {}
        self.shared, last = set(), {}
        if not self.streams:
            self.read_hashes(path)
        for row in told.get('packets', told.get('packets_and_frames', [])):
            if 'data_hash' not in row:
                continue
            skip = [s for s in row.get('side_data_list', [])
                    if 'skip_samples' in s]
            at = int(row['stream_index'])
            if row.get('pos') is not None and row.get('pos') == last.get(at):
                self.shared.add(at)
            last[at] = row.get('pos')
            self.packets.setdefault(at, []).append(Packet(
                number(row.get('pts')), number(row.get('dts')),
                number(row.get('duration')), int(row['size']),
                'K' in row.get('flags', ''), 'D' in row.get('flags', ''),
                row['data_hash'].split(':')[-1].lower(),
                int(skip[0]['skip_samples']) if skip else 0,
                int(skip[0].get('discard_padding', 0)) if skip else 0))
            if data:
                self.data.setdefault(at, []).append(undump(row['data']))

    def read_hashes(self, path):
        """Of a codec that ffprobe knows no decoder for."""
        run = subprocess.run(
            ['ffmpeg', '-nostdin', '-v', 'error', '-copyts', '-i', path,
             '-map', '0', '-c', 'copy', '-copyinkf', '-f', 'framehash',
             '-hash', 'sha256', '-'], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, check=False)
        names = {'tb': 'time_base', 'media_type': 'codec_type', 'codec_id':
                 'codec_name', 'sample_rate': 'sample_rate'}
        streams = {}
        for line in run.stdout.decode().splitlines():
            match = re.match(r'#(\w+) (\d+): (\S+)', line)
            if match and match.group(1) in names:
                at = int(match.group(2))
                streams.setdefault(at, {'index': at})[
                    names[match.group(1)]] = match.group(3)
            elif not line.startswith('#'):
                at, dts, pts, duration, size, text = line.split(',')
                self.packets.setdefault(int(at), []).append(Packet(
                    int(pts), int(dts), int(duration), int(size), True, False,
                    text.strip(), 0, 0))
        self.streams = [streams[at] for at in sorted(streams)]
        if self.streams:
            self.errors = ''

    def stream(self, index):
        return next(s for s in self.streams if int(s['index']) == index)


def undump(text):
    """The bytes of ffprobe's hex dump."""
    return bytes.fromhex(''.join(
        line[10:50] for line in text.splitlines() if line[8:10] == ': '))


# --- what the index says

def sparse_tracks(path):
    """Names of the tracks of which the index knows cuts and no samples.

    What is told of them before they are read are estimates: times of cuts to
    a sample, bit rates from above.
    """
    tool = os.environ.get('VOD_TOOL') or os.path.join(
        os.path.dirname(os.path.abspath(__file__)), '../../build/vodtool')
    run = subprocess.run([tool, 'index', path], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=False)
    return set(re.findall(r'^track ([va]\d+) .* \d+ cuts, ', run.stdout.decode(
        'utf-8', 'replace'), re.M))


# --- one form

def annexb_units(data):
    """NAL units between start codes (14496-10, annex B)."""
    found = [m.end() for m in re.finditer(b'\0\0\1', data)]
    ends = [at - 3 for at in found[1:]] + [len(data)]
    return [data[a:b] for a, b in zip(found, ends)]


def length_units(data, size):
    units, at = [], 0
    while at < len(data):
        length = int.from_bytes(data[at:at + size], 'big')
        units.append(data[at + size:at + size + length])
        at += size + length
    if at != len(data):
        raise isobmff.BoxError('a NAL unit ends beyond its sample')
    return units


# AUD, SPS, PPS, SPS extension, subset SPS, filler; the same of HEVC
DROPPED = {'h264': {7, 8, 9, 12, 13, 15}, 'hevc': {32, 33, 34, 35, 38}}


def unit_type(codec, unit):
    return unit[0] & 31 if codec == 'h264' else unit[0] >> 1 & 63


def units_hash(codec, units):
    # zeros behind a unit are not part of it
    units = [u.rstrip(b'\0') for u in units]
    kept = [u for u in units
            if u and unit_type(codec, u) not in DROPPED[codec]]
    return isobmff.sha(b''.join(len(u).to_bytes(4, 'big') + u for u in kept))


def without_adts(data):
    if len(data) > 7 and data[0] == 0xff and data[1] & 0xf6 == 0xf0:
        return data[7 if data[1] & 1 else 9:]
    return data


def without_delimiters(data):
    out, at = b'', 0
    while at < len(data):
        start, head = at, data[at]
        at += 2 if head & 4 else 1
        size, shift = 0, 0
        if not head & 2:
            size = len(data) - at
        else:
            while True:
                byte, at = data[at], at + 1
                size |= (byte & 127) << shift
                shift += 7
                if not byte & 128:
                    break
        at += size
        if head >> 3 & 15 != 2:
            out += data[start:at]
    return out


def source_form(codec, data):
    if codec in DROPPED:
        return units_hash(codec, annexb_units(data))
    strip = without_adts if codec == 'aac' else without_delimiters
    return isobmff.sha(strip(data))


def served_form(codec, data, header):
    if codec in DROPPED:
        entry = header.entries[0]
        record = entry.children.get('avcC') or entry.children.get('hvcC')
        if record is None:
            return isobmff.sha(data)
        size = record.payload[4 if codec == 'h264' else 21] & 3
        return units_hash(codec, length_units(data, size + 1))
    return isobmff.sha(data)


# the containers of which these codecs come in a form of their own
CONVERTED = {'mpegts': {'h264', 'hevc', 'aac', 'av1'}, 'aac': {'aac'}}


# --- audio that is there to be thrown away

def elements(data, start, end):
    """EBML: type, begin and end of content (RFC 8794)."""
    at = start
    while at < end:
        size = 1
        while size < 4 and not data[at] & (0x80 >> size - 1):
            size += 1
        kind = data[at:at + size]
        at += size
        width = 1
        while width < 8 and not data[at] & (0x80 >> width - 1):
            width += 1
        value = int.from_bytes(data[at:at + width], 'big') \
            & (1 << 7 * width) - 1
        at += width
        if value == (1 << 7 * width) - 1:
            value = end - at
        yield kind.hex(), at, min(at + value, end)
        at += value


def codec_delays(path):
    """CodecDelay of each track of a Matroska file, nanoseconds, in order."""
    with open(path, 'rb') as stream:
        data = stream.read()
    found = []
    for kind, at, end in elements(data, 0, len(data)):
        if kind == '18538067':
            for part, begin, last in elements(data, at, end):
                if part == '1654ae6b':
                    for entry, first, rest in elements(data, begin, last):
                        if entry == 'ae':
                            found.append(sum(
                                int.from_bytes(data[a:b], 'big')
                                for k, a, b in elements(data, first, rest)
                                if k == '56aa'))
                    return found
    return found


def short_frames(path):
    """By stream, the last packet's ticks where the file says it is short.

    Parsers of libavformat before FFmpeg 9 put the codec's length in its
    place.
    """
    run = subprocess.run(
        ['ffprobe', '-v', 'error', '-fflags', 'noparse', '-show_packets',
         '-show_entries', 'packet=stream_index,duration', '-of',
         'json=compact=1', path], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, check=False)
    told = json.loads(run.stdout.decode('utf-8', 'replace') or '{}')
    lasts = {}
    for row in told.get('packets', []):
        lasts.setdefault(int(row['stream_index']), []).append(
            number(row.get('duration')) or 0)
    return {at: d[-1] for at, d in lasts.items()
            if d[-1] and (len(d) == 1 or not d[-2] or d[-1] < d[-2])}


# --- tracks

class Truth:
    """One track that is to be served."""

    def __init__(self, demuxed, index, track):
        self.stream = demuxed.stream(index)
        self.packets = demuxed.packets.get(index, [])
        self.track, self.path = track, None
        self.index = index
        self.kind = self.stream['codec_type']
        self.codec = self.stream['codec_name']
        self.base = Fraction(self.stream['time_base'])
        pairs = track.samples() if track else None
        self.samples = pairs and [s for s, _ in pairs]
        self.exact = pairs and [t for _, t in pairs]
        self.demuxed = track is None
        self.container = demuxed.container
        self.shared = index in demuxed.shared
        self.converted = False
        self.delay = Fraction(0)
        self.short = None

    def convert(self, data):
        self.converted = True
        self.packets = [p._replace(hash=source_form(self.codec, d))
                        for p, d in zip(self.packets, data)]

    def drop_leading(self):
        """What nothing can decode in front of the first key frame."""
        if self.kind == 'video':
            first = next((n for n, p in enumerate(self.packets) if p.key), 0)
            self.packets = self.packets[first:]

    def drop_ended(self):
        """The last frame of sound, where next to nothing of it is left."""
        end = self.end
        if self.kind == 'audio' and self.packets[-1].trim and end is not None \
                and end - self.packets[-1].pts * self.base < self.base / 2:
            self.packets = self.packets[:-1]

    @property
    def start(self):
        """When its presentation starts, in seconds of the source's clock."""
        times = [p.pts for p in self.packets if p.pts is not None]
        start = min(times) * self.base if times else Fraction(0)
        if self.kind == 'audio':
            skip = self.packets[0].skip
            start += Fraction(skip, int(self.stream['sample_rate'])) \
                if skip else self.delay
        return start

    @property
    def end(self):
        """When it ends; None where the source does not say."""
        last = max((p for p in self.packets if p.pts is not None),
                   key=lambda p: p.pts, default=None)
        if last is None or not (last.duration or last.trim):
            return None
        lasts = (last.duration or 0) * self.base
        if last.trim:
            # some demuxers have it taken off the duration, some have not
            whole = statistics.mode(p.duration or 0 for p in self.packets)
            lasts = max(lasts, whole * self.base) - Fraction(
                last.trim, int(self.stream['sample_rate']))
        if self.kind == 'audio' and self.short:
            lasts = min(lasts, self.short * self.base)
        return last.pts * self.base + lasts

    @property
    def counted(self):
        """Whether frames without a time stamp last no whole ticks.

        So it is in laces of Matroska, and in a transport stream with 44.1
        kHz: several frames have one time, libavformat and we count on from
        there.
        """
        if 'matroska' in self.container:
            return self.kind == 'audio' and self.shared
        return self.container == 'mpegts' and self.kind == 'audio' \
            and 44100 % int(self.stream['sample_rate']) == 0

    @property
    def gap(self):
        """The longest time from one picture to the next."""
        times = sorted(p.pts for p in self.packets if p.pts is not None)
        return max((b - a for a, b in zip(times, times[1:])),
                   default=0) * self.base


def demuxed_truths(path, demuxed, found):
    delays, short = [], {}
    if 'matroska' in demuxed.container:
        delays, short = codec_delays(path), short_frames(path)
    wanted = CONVERTED.get(demuxed.container, set())
    data = {}
    if any(t.codec in wanted for t in found):
        data = Demuxed(path, data=True).data
    for truth in found:
        truth.path = path
        truth.short = short.get(truth.index)
        if truth.index < len(delays) and delays[truth.index]:
            # libavformat takes the delay off in ticks
            ticks = isobmff.nearest(delays[truth.index]
                                    * truth.base.denominator, 10 ** 9)
            truth.delay = ticks * truth.base
        if truth.codec in wanted:
            truth.convert(data[truth.index])
        truth.drop_leading()
        truth.drop_ended()


def truths(path):
    """Tracks CMAF can carry, in file order."""
    demuxed, boxes = Demuxed(path), {}
    try:
        source = isobmff.Source(path)
    except isobmff.BoxError:
        source = None
    if source:
        av = [s for s in demuxed.streams
              if s.get('codec_type') in ('video', 'audio')
              and s.get('disposition', {}).get('attached_pic') != 1]
        if len(av) == len(source.tracks):
            boxes = {int(s['index']): t for s, t in zip(av, source.tracks)}
    found = []
    for stream in demuxed.streams:
        if stream.get('codec_name') not in VIDEO | AUDIO \
                or stream.get('disposition', {}).get('attached_pic') == 1:
            continue
        index = int(stream['index'])
        truth = Truth(demuxed, index, boxes.get(index))
        if truth.track is not None and truth.samples is None:
            continue
        if truth.packets:
            found.append(truth)
    if source is None:
        demuxed_truths(path, demuxed, found)
    return found
