#!/usr/bin/env python3
"""The oracle of text: what is shown, and when, is what the source shows.

For a text track of an asset and what FFmpeg makes of its source: the segments
of WebVTT are fetched as an HLS player would, those of ISO BMFF as a DASH player
would, and

  * each cue of the source stands unchanged in every segment of WebVTT in which
    it is active, and in no other; nothing else is there;
  * the samples of WebVTT in ISO BMFF follow each other without a gap, and show
    at each moment what the source shows then;
  * both are cut where the video is.

Prints one line a check, "ok" or "not ok"; exit status 1 when one failed.
"""

import argparse
import html
import os
import re
import struct
import subprocess
import sys
import urllib.parse
from collections import namedtuple
from fractions import Fraction

import client
import isobmff
import oracle

Cue = namedtuple('Cue', 'start end text')

TIME = re.compile(r'^(?:(\d+):)?(\d\d):(\d\d)\.(\d{3})$')

HEAD = 'WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n'


def milliseconds(text):
    match = TIME.match(text)
    if not match:
        raise ValueError('time %r' % text)
    hours, minutes, seconds, rest = (int(g or 0) for g in match.groups())
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + rest


def cues(text):
    """Of a WebVTT file; blocks without a time are none."""
    found = []
    for block in text.replace('\r\n', '\n').split('\n\n'):
        lines = block.strip('\n').split('\n')
        for n, line in enumerate(lines):
            if '-->' in line:
                start, end = line.split('-->')
                found.append(Cue(milliseconds(start.strip()),
                                 milliseconds(end.split()[0]),
                                 '\n'.join(lines[n + 1:])))
                break
    return found


def shown(text):
    """A cue's text as FFmpeg has it: no voices, no classes, no escapes."""
    return html.unescape(re.sub(r'</?[vc][ .]?[^<>]*>', '', text))


def source_cues(path, stream, drop):
    run = subprocess.run(['ffmpeg', '-nostdin', '-v', 'error', '-i', path,
                          '-map', '0:s:%d' % stream, '-f', 'webvtt', '-'],
                         stdout=subprocess.PIPE, check=True)
    found = cues(run.stdout.decode('utf-8'))
    return [c for c in found if not drop or not re.search(drop, c.text)]


def payloads(sample):
    """Texts of a sample: its boxes vttc, or one vtte."""
    found, kinds, at = [], [], 0
    while at < len(sample):
        size, kind = struct.unpack_from('>I4s', sample, at)
        kinds.append(kind)
        if size < 8 or at + size > len(sample):
            raise ValueError('box of %d bytes in a sample' % size)
        inner = at + 8
        while kind == b'vttc' and inner < at + size:
            length, part = struct.unpack_from('>I4s', sample, inner)
            if part == b'payl':
                found.append(shown(
                    sample[inner + 8:inner + length].decode('utf-8')))
            inner += length
        at += size
    if set(kinds) - {b'vttc'} and kinds != [b'vtte']:
        raise ValueError('boxes %s in a sample' % kinds)
    return sorted(found)


def check_hls(report, name, fetcher, media, wanted):
    at, seen = Fraction(0), set()
    for number, (url, duration) in enumerate(media.segments, 1):
        start, at = at * 1000, at + duration
        body = fetcher.get(url).decode('utf-8')
        got = sorted(c._replace(text=shown(c.text)) for c in cues(body))
        # a cue that ends or begins within a millisecond of the cut may be in
        sure = sorted(c for c in wanted if c.end > start + 1
                      and c.start < at * 1000 - 1)
        may = [c for c in wanted if c.end >= start - 1
               and c.start <= at * 1000 + 1]
        report.check(body.startswith(HEAD), '%s: segment %d begins as HLS '
                     'wants it' % (name, number), body[:80])
        report.check(all(c in got for c in sure)
                     and all(c in may for c in got),
                     '%s: segment %d has the cues that are active'
                     % (name, number), 'got %s, expected %s' % (got, sure))
        report.check(len(got) == len(set(got)), '%s: segment %d has each once'
                     % (name, number), got)
        seen |= set(got)
    end = at * 1000
    report.check(seen >= {c for c in wanted if c.start < end - 1},
                 name + ': every cue is there',
                 sorted(set(wanted) - seen))


def check_dash(report, name, fetcher, representation, wanted):
    header = isobmff.Header(fetcher.get(representation.map))
    report.check(header.handler == 'text'
                 and header.entries[0].kind == 'wvtt',
                 name + ': the header is of WebVTT', header.handler)
    samples, scale = [], header.timescale
    for entry in representation.entries:
        segment = isobmff.Segment(fetcher.get(entry.url), header)
        report.check(segment.decode_time == entry.time
                     and segment.end_time == entry.time + entry.duration,
                     '%s: a segment is as long as its S' % name,
                     '%s, %d to %d' % (entry, segment.decode_time,
                                       segment.end_time))
        samples += [(s.pts * 1000 // scale,
                     (s.pts + s.duration) * 1000 // scale,
                     payloads(segment.data[at:at + size]))
                    for s, (at, size) in zip(segment.samples,
                                             segment.extents)]
    report.check(all(a[1] == b[0] for a, b in zip(samples, samples[1:])),
                 name + ': samples follow one another')
    wrong = [s for s in samples if s[2] != sorted(
        c.text for c in wanted if c.start < s[1] - 1 and c.end > s[0] + 1)
             and s[1] - s[0] > 2]
    report.check(not wrong, name + ': each sample shows what the source shows',
                 wrong[:3])


def cuts(media):
    """Between segments; behind the video's last one text has more."""
    at, found = Fraction(0), []
    for _, duration in media.segments[:-1]:
        at += duration
        found.append(at)
    return found


def check(report, options, asset, track, source, stream, drop):
    base = urllib.parse.urlsplit(options.base).path + '/' + asset
    fetcher = client.Fetcher(options.base)
    master = client.Master(fetcher, base + '/master.m3u8')
    mpd = client.Mpd(fetcher, base + '/manifest.mpd')
    wanted = source_cues(os.path.join(options.root, source), stream, drop)
    report.check(wanted, '%s %s: FFmpeg reads cues' % (asset, track))
    name = '%s %s' % (asset, track)
    medias = {client.track_of(p): m for p, m in master.media.items()}
    if not report.check(track in medias, name + ': is listed',
                        sorted(medias)):
        return
    check_hls(report, name, fetcher, medias[track], wanted)
    for representation in mpd.representations:
        if client.track_of(representation.map) == track:
            check_dash(report, name, fetcher, representation, wanted)
            break
    else:
        report.check(False, name + ': is in the manifest')
    if 'v1' in medias:
        video, text = cuts(medias['v1']), cuts(medias[track])
        report.check(all(any(abs(v - t) < Fraction(1, 20) for t in text)
                         for v in video), name + ': cut where the video is',
                     '%s, %s' % ([float(v) for v in video],
                                 [float(t) for t in text]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--base', required=True)
    parser.add_argument('--root', required=True,
                        help='folder of the sources')
    parser.add_argument('--drop', help='cues of the source, an expression, '
                        'that are nothing to be shown')
    parser.add_argument('tracks', nargs='+',
                        help='ASSET:TRACK:SOURCE:STREAM')
    options = parser.parse_args()
    report = oracle.Report()
    for track in options.tracks:
        asset, number, source, stream = track.split(':')
        try:
            check(report, options, asset, number, source, int(stream),
                  options.drop)
        except (client.ClientError, isobmff.BoxError, OSError, ValueError,
                KeyError, subprocess.CalledProcessError) as error:
            report.check(False, track + ': can be read', '%s: %s'
                         % (type(error).__name__, error))
    print('\n'.join(report.lines))
    return 1 if report.failed else 0


if __name__ == '__main__':
    sys.exit(main())
