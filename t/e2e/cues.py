#!/usr/bin/env python3
"""Subtitles: what a client receives is the cues of the source.

For an asset and the files its texts come from, over HLS (WebVTT) and DASH
(WebVTT in fragments, ISO/IEC 14496-30):

  * the cues of all segments, each counted once, are those that FFmpeg reads
    out of the source, with their times and, without markup, their text;
  * a cue stands in every segment that it is active in, whole, and in no other;
  * samples follow one another from one boundary to the next, and have just
    the cues that are active, in the words and settings of the WebVTT;
  * both protocols have the same boundaries, the video's.

Prints one line a check, "ok" or "not ok"; exit status 1 when one failed.
"""

import argparse
import html
import re
import subprocess
import sys
import urllib.parse
from collections import namedtuple
from fractions import Fraction

import client
import isobmff
import oracle

Cue = namedtuple('Cue', 'start end settings text')

SIGNATURE = 'WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n'

TIMING = re.compile(r'^((?:\d\d+:)?\d\d:\d\d\.\d{3}) --> '
                    r'((?:\d\d+:)?\d\d:\d\d\.\d{3})(?: (.*))?$')


def milliseconds(text):
    parts = text.split(':')
    return (int(Fraction(parts[-1]) * 1000) + int(parts[-2]) * 60000
            + (int(parts[0]) * 3600000 if len(parts) > 2 else 0))


def read_cues(text):
    """The cues of a WebVTT file, its header and blocks passed over."""
    found = []
    for block in text.split('\n\n'):
        lines = block.strip('\n').split('\n')
        at = next((n for n, l in enumerate(lines[:2]) if TIMING.match(l)),
                  None)
        if at is None:
            if '-->' in block:
                raise client.ClientError('a cue without a time: %r' % block)
            continue
        start, end, settings = TIMING.match(lines[at]).groups()
        cue = Cue(milliseconds(start), milliseconds(end), settings or '',
                  '\n'.join(lines[at + 1:]))
        if cue.start >= cue.end or not cue.text:
            raise client.ClientError('an empty cue: %r' % block)
        found.append(cue)
    return found


def plain(text):
    text = html.unescape(re.sub(r'</?[a-z][^<>]*>', '', text))
    return ' '.join(text.replace('\xa0', ' ').split())


# --- the source

def source_cues(path, stream):
    run = subprocess.run(
        ['ffmpeg', '-nostdin', '-v', 'error', '-i', path, '-map',
         '0:s:%d' % stream, '-f', 'webvtt', '-'],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if run.returncode:
        raise client.ClientError('FFmpeg: ' + run.stderr.decode()[:300])
    # drawings are no text, though FFmpeg writes them
    return [c for c in read_cues(run.stdout.decode())
            if not re.match(r'm -?\d+ -?\d+ ', c.text) and plain(c.text)]


def sketch(cues):
    return sorted((c.start, c.end, plain(c.text)) for c in cues)


# --- WebVTT in samples

def sample_cues(data, start, end):
    """The cues of one sample, with its times; None where a box is wrong."""
    found = []
    for box in isobmff.read_boxes(data):
        if box.name == 'vtte':
            if box.body != box.end or len(data) != 8:
                return None
        elif box.name == 'vttc':
            parts = {c.name: c for c in isobmff.read_boxes(box.payload)}
            if 'payl' not in parts or set(parts) - {'payl', 'sttg', 'iden',
                                                    'vsid'}:
                return None
            words = [parts[n].payload.decode() if n in parts else ''
                     for n in ('sttg', 'payl')]
            found.append(Cue(start, end, *words))
        else:
            return None
    return found


def check_samples(report, label, got, expected, bounds):
    scale = got.header.timescale
    report.check(scale == 1000, label + 'timescale', scale)
    report.check([got.header.handler] == ['text'], label + 'handler',
                 got.header.handler)
    wrong = []
    for number, segment in enumerate(got.segments):
        at = segment.decode_time
        if at != bounds[number]:
            wrong.append('segment %d begins at %d, not %d'
                         % (number + 1, at, bounds[number]))
        for sample, (offset, size) in zip(segment.samples, segment.extents):
            begin, at = at, at + sample.duration
            cues = sample_cues(segment.data[offset:offset + size], begin, at)
            there = sorted((c.settings, c.text) for c in cues or [])
            active = sorted((c.settings, c.text) for c in expected
                            if c.start < at and c.end > begin)
            if cues is None or there != active or sample.duration <= 0 \
                    or not sample.sync:
                wrong.append('%d to %d: %s, expected %s'
                             % (begin, at, there, active))
        if at != bounds[number + 1]:
            wrong.append('segment %d ends at %d, not %d'
                         % (number + 1, at, bounds[number + 1]))
    report.check(not wrong, label + 'samples have what is active', wrong[:3])


# --- one track

def check_track(report, fetcher, name, media, representation, truth):
    label = name + ': '
    texts = [fetcher.get(url).decode() for url, _ in media.segments]
    kinds = {fetcher.headers[url]['content-type']
             for url, _ in media.segments}
    report.check(kinds == {'text/vtt'}, label + 'type', kinds)
    report.check(all(t.startswith(SIGNATURE) for t in texts),
                 label + 'signature and X-TIMESTAMP-MAP')
    report.check(len(texts) == len(representation.entries),
                 label + 'as many segments over HLS and DASH',
                 '%d, %d' % (len(texts), len(representation.entries)))

    bounds = [e.time for e in representation.entries]
    bounds.append(representation.entries[-1].time
                  + representation.entries[-1].duration)
    found = [read_cues(t) for t in texts]
    once = sorted(set(c for part in found for c in part))

    seen = oracle.differ(sketch(truth), sketch(once))
    report.check(seen is None, label + 'the cues of the source', seen)
    wrong = [n + 1 for n, part in enumerate(found)
             if sorted(part) != [c for c in once if c.start < bounds[n + 1]
                                 and c.end > bounds[n]]]
    report.check(not wrong, label + 'a cue is in each segment it is active '
                 'in, and in no other', wrong)
    wrong = [n + 1 for n, part in enumerate(found)
             if [c.start for c in part] != sorted(c.start for c in part)]
    report.check(not wrong, label + 'in the order of their times', wrong)

    at, off = Fraction(bounds[0], 1000), []
    for (_, duration), end in zip(media.segments, bounds[1:]):
        at += duration
        off.append(abs(at - Fraction(end, 1000)))
    report.check(max(off) <= Fraction(1, 1000),
                 label + 'EXTINF are the boundaries', float(max(off)))

    got = oracle.Received(name, fetcher, representation.map,
                          [e.url for e in representation.entries])
    check_samples(report, label, got, once, bounds)
    return bounds


def check_asset(report, options):
    fetcher = client.Fetcher(options.base)
    asset = urllib.parse.urlsplit(options.base).path + options.asset
    master = Texts(fetcher, asset + '/master.m3u8')
    mpd = client.Mpd(fetcher, asset + '/manifest.mpd')
    shown = {client.track_of(r.map): r for r in mpd.representations}
    names = sorted(master.texts)
    report.check(names == sorted(n for n in shown if n[0] == 's'),
                 'HLS and DASH have one set of texts', names)
    report.check(len(names) == len(options.texts), 'as many as the source',
                 names)

    grid = [Fraction(e.time - shown['v1'].offset, shown['v1'].timescale)
            for e in shown['v1'].entries]
    for name, text in zip(names, options.texts):
        path, _, stream = text.rpartition(':')
        bounds = check_track(report, fetcher, name, master.texts[name],
                             shown[name], source_cues(path, int(stream)))
        zero = Fraction(shown[name].offset, 1000)
        # the first begins with the asset, which may be before the video
        off = max((abs(Fraction(b, 1000) - zero - g)
                   for b, g in zip(bounds[1:], grid[1:])), default=0)
        report.check(len(bounds) > len(grid) and off <= Fraction(1, 1000),
                     name + ': is cut where the video is', float(off))


class Playlist:
    """A media playlist of WebVTT: it has no map."""

    def __init__(self, path, text):
        lines = client.playlist_lines(text)
        self.segments, duration = [], None
        for line in lines:
            if isinstance(line, str):
                self.segments.append((client.join(path, line), duration))
            elif line.name == 'EXTINF':
                duration = Fraction(line.value.split(',')[0])
            elif line.name == 'EXT-X-MAP':
                raise client.ClientError('%s has a map' % path)


class Texts:
    """The subtitles of a multivariant playlist, by the names of tracks."""

    def __init__(self, fetcher, path):
        self.texts = {}
        for line in client.playlist_lines(fetcher.get(path)):
            if isinstance(line, str) or line.name != 'EXT-X-MEDIA' \
                    or line.attributes.get('TYPE') != 'SUBTITLES':
                continue
            media = client.join(path, client.unquote(line.attributes['URI']))
            self.texts[client.track_of(media)] = Playlist(
                media, fetcher.get(media))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--base', required=True)
    parser.add_argument('--asset', required=True, help='URL path')
    parser.add_argument('texts', nargs='+', help='for each track of text the '
                        'file and its number among the texts there, FILE:0')
    options = parser.parse_args()
    report = oracle.Report(options.asset.lstrip('/') + ': ')
    try:
        check_asset(report, options)
    except (client.ClientError, isobmff.BoxError, OSError, ValueError,
            KeyError) as error:
        report.check(False, 'can be read', '%s: %s'
                     % (type(error).__name__, error))
    print('\n'.join(report.lines), flush=True)
    return 1 if report.failed else 0


if __name__ == '__main__':
    sys.exit(main())
