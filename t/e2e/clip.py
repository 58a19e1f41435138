#!/usr/bin/env python3
"""Clips: what a client receives of ?from=&to= is the source's part.

For an asset, its source file and each pair of edges, over HLS and over DASH:

  * the whole, fetched without arguments, is the source by the hashes of its
    samples; the clip's samples are a part of it: video from the last sync
    sample at or before from, sound from the sample that is presented then,
    without video at from, both up to the last one in decoding order that is
    presented before to; bytes, decode and presentation times are those of the
    whole;
  * every URL of playlists and MPD has the edges, and a playlist's segments
    are numbered from 1;
  * EXTINF and SegmentTimeline tell the real spans, EXT-X-START and
    @presentationTimeOffset where playing begins, @mediaPresentationDuration
    how long it is;
  * FFmpeg decodes the clip's pictures to those that it decodes the source to.

Prints one line a check, "ok" or "not ok"; exit status 1 when one failed.
"""

import argparse
import re
import subprocess
import sys
import urllib.parse
from fractions import Fraction

import client
import isobmff
import oracle
import source


def exact(text):
    return None if text == '' else Fraction(text)


def query(start, end):
    parts = [('from', start), ('to', end)]
    return '&'.join('%s=%s' % p for p in parts if p[1] not in ('', '0'))


# --- what is to be there

def begins(whole, start):
    """When a clip begins: with a sync sample of the video, where there is one.
    """
    names = [n for n in sorted(whole) if n[0] == 'v']
    if start is None or not names:
        return start
    video = whole[names[0]]['hls'][0]
    scale = video.header.timescale
    if Fraction(video.starts()[-1], scale) <= start:
        return start
    times = [Fraction(s.pts, scale) for s in video.samples if s.sync]
    return max([t for t in times if t <= start], default=start)


def wanted(samples, scale, begin, end):
    """Which of a track's samples are the clip's, as a range."""
    first = 0
    # what is before 0 primes decoders, and is there where it begins at 0
    if begin:
        for n, s in enumerate(samples):
            if s.sync and Fraction(s.pts, scale) <= begin:
                first = n
    last = len(samples)
    if end is not None:
        shown = [n for n, s in enumerate(samples)
                 if Fraction(s.pts, scale) < end]
        last = shown[-1] + 1 if shown else 0
    return first, last


def sketch(sample):
    return sample.hash[:12], sample.pts, sample.sync


# --- one asset

class Asset:
    def __init__(self, base, asset, path):
        self.fetcher = client.Fetcher(base)
        self.asset = urllib.parse.urlsplit(base).path + asset
        self.path = path
        self.whole = self.tracks('')
        self.pictures = None

    def tracks(self, args):
        """Both protocols' tracks by name, with what told of them."""
        mark = '?' + args if args else ''
        self.master = client.Master(self.fetcher,
                                    self.asset + '/master.m3u8' + mark)
        self.mpd = client.Mpd(self.fetcher,
                              self.asset + '/manifest.mpd' + mark)
        found = {}
        for way, tracks in zip(('hls', 'dash'), oracle.received_tracks(
                self.fetcher, self.master, self.mpd)):
            for name, (init, urls, told) in tracks.items():
                found.setdefault(name, {})[way] = (
                    oracle.Received(name, self.fetcher, init, urls), told)
        return found


def check_whole(report, asset):
    truths = source.truths(asset.path)
    for name, ways in sorted(asset.whole.items()):
        got = ways['hls'][0]
        kind = [t for t in truths if t.kind == got.kind]
        hashes = got.hashes(kind[int(name[1:]) - 1])
        packets = [p.hash for p in kind[int(name[1:]) - 1].packets]
        at = packets.index(hashes[0]) if hashes[0] in packets else 0
        report.check(packets[at:at + len(hashes)] == hashes,
                     name + ': the whole is the source')


def presents(track, begin, stop):
    starts, scale = track.starts(), track.header.timescale
    return (begin is None or Fraction(starts[-1], scale) > begin) \
        and (stop is None or Fraction(starts[0], scale) < stop)


def begin_of(clip):
    """Where playlist time begins: with what is presented first."""
    return min(Fraction(max(0, w['hls'][0].starts()[0]),
                        w['hls'][0].header.timescale)
               for w in clip.values())


def check_clip(report, asset, start, end):
    args = query(start, end)
    begin, stop = exact(start), exact(end)
    front = begins(asset.whole, begin or None)
    clip = asset.tracks(args)
    there = [n for n, w in sorted(asset.whole.items()) if presents(
        w['hls'][0], begin, stop)]
    report.check(sorted(clip) == there, 'its tracks',
                 '%s, expected %s' % (sorted(clip), there))

    origin = begin_of(clip)

    for name, ways in sorted(clip.items()):
        whole = asset.whole[name]['hls'][0]
        scale = whole.header.timescale
        first, last = wanted(whole.samples, scale, front, stop)
        expected = whole.samples[first:last]
        for way, (got, told) in sorted(ways.items()):
            label = '%s over %s: ' % (name, way)
            seen = oracle.differ([sketch(s) for s in expected],
                                 [sketch(s) for s in got.samples])
            report.check(seen is None, label + 'its samples', seen)
            report.check(got.segments[0].decode_time
                         == whole_decode_time(whole, first),
                         label + 'its first decode time',
                         got.segments[0].decode_time)
            check_told(report, label, got, told, origin, begin, stop)
            check_urls(report, label, got, args)
        report.check(ways['hls'][0].bytes == ways['dash'][0].bytes,
                     name + ': the same bytes over HLS and DASH')
    check_start(report, asset, origin, begin)
    check_duration(report, asset, clip, begin, stop)


def whole_decode_time(whole, first):
    """Of the sample with this number."""
    at = 0
    for segment in whole.segments:
        if first < at + len(segment.samples):
            return segment.decode_time + sum(
                s.duration for s in segment.samples[:first - at])
        at += len(segment.samples)
    return None


def edges(got, stop):
    """Where the segments begin, and where what is presented of them ends."""
    starts = got.starts()
    shown = [s.pts + s.duration for s in got.samples
             if stop is None or Fraction(s.pts, got.header.timescale) < stop]
    return starts[:-1] + [max(shown)]


def check_told(report, label, got, told, origin, begin, stop):
    starts = edges(got, stop)
    scale = got.header.timescale
    if hasattr(told, 'entries'):
        report.check([e.time for e in told.entries]
                     == [max(0, t) for t in starts[:-1]],
                     label + 'S@t are the real times', starts[:3])
        report.check([e.number for e in told.entries]
                     == list(range(1, len(starts))), label + 'from 1 on')
        if begin:
            zero = begin * scale
            report.check(abs(told.offset - zero) <= 1,
                         label + '@presentationTimeOffset is from',
                         '%d, %s' % (told.offset, float(zero)))
    else:
        check_extinf(report, label, told, [
            Fraction(t, scale) - origin for t in starts])
        report.check(re.findall(r'/(\d+)-[0-9a-f]{12}\.m4s',
                                '\n'.join(u for u, _ in told.segments))
                     == [str(n) for n in range(1, len(starts))],
                     label + 'from 1 on')


def check_extinf(report, label, told, times):
    """Counted from the clip's origin, which may be another track's.

    The last segment of several is told to begin up to 33 ms early,
    where its tfdt has it.
    """
    at, sums = Fraction(0), []
    for _, duration in told.segments:
        at += duration
        sums.append(at)
    off = [t - s for t, s in zip(times[1:], sums)]
    last = off.pop(-2) if len(off) > 1 else Fraction(0)
    report.check(max(abs(o) for o in off) <= Fraction(2, 1000000)
                 and -Fraction(2, 1000000) <= last <= Fraction(33002, 1000000),
                 label + 'EXTINF are the real spans',
                 [(float(a), float(b)) for a, b in zip(sums, times[1:])])


def check_urls(report, label, got, args):
    urls = [got.init_url, *got.urls]
    report.check(all(u.endswith('?' + args) for u in urls),
                 label + 'every URL has the edges', urls[0])


def check_start(report, asset, zero, begin):
    """EXT-X-START counts from the beginning of the first segment."""
    report.check(not [t for t in asset.master.tags
                      if t.name == 'EXT-X-START'],
                 'master.m3u8: EXT-X-START is not there')
    for playlist in asset.master.media.values():
        tags = [t for t in playlist.tags if t.name == 'EXT-X-START']
        where = playlist.path.split('?')[0].rsplit('/', 2)
        label = '%s: EXT-X-START' % '/'.join(where[-2:])
        if begin is None or begin <= zero:
            report.check(not tags, label + ' is not there', tags)
            continue
        if not report.check(len(tags) == 1, label, tags):
            continue
        offset = Fraction(tags[0].attributes.get('TIME-OFFSET', '-1'))
        report.check(abs(offset - (begin - zero)) <= Fraction(2, 1000000),
                     label + ' is at from', float(offset))
        report.check(tags[0].attributes.get('PRECISE') == 'YES',
                     label + ' is precise', tags[0].value)


def check_duration(report, asset, clip, begin, stop):
    ends = [Fraction(edges(w['dash'][0], stop)[-1],
                     w['dash'][0].header.timescale) for w in clip.values()]
    told = client.xs_duration(asset.mpd.root.get('mediaPresentationDuration'))
    end = max(ends) if stop is None else min(stop, max(ends))
    origin = min(Fraction(max(0, w['dash'][0].starts()[0]),
                          w['dash'][0].header.timescale)
                 for w in asset.whole.values())
    start = origin if begin is None else max(begin, origin)
    report.check(abs(told - (end - start)) <= Fraction(1, 500),
                 '@mediaPresentationDuration is to - from',
                 '%s, %s' % (float(told), float(end - start)))


# --- FFmpeg, on its own

def pictures(place):
    run = subprocess.run(
        ['ffmpeg', '-nostdin', '-v', 'error', '-i', place, '-map', '0:v:0',
         '-fps_mode', 'passthrough', '-f', 'framemd5', '-'],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    lines = [l for l in run.stdout.decode().splitlines()
             if l and not l.startswith('#')]
    return [l.rsplit(',', 1)[1].strip() for l in lines], run.stderr.decode()


def check_pictures(report, asset, base, start, end):
    """Those of the clip are a part of the source's, and the right one."""
    if asset.pictures is None:
        asset.pictures = pictures(asset.path)[0]
    whole = asset.whole['v1']['hls'][0]
    scale = whole.header.timescale
    first, last = wanted(whole.samples, scale,
                         begins(asset.whole, exact(start)), exact(end))
    shown = sorted(s.pts for s in whole.samples)
    # pictures in front of the first key frame lean on what is not there
    key = whole.samples[first].pts
    expected = [asset.pictures[n] for n, pts in enumerate(shown)
                if any(s.pts == pts and pts >= key
                       for s in whole.samples[first:last])]
    for name in ('master.m3u8', 'manifest.mpd'):
        url = '%s/%s?%s' % (urllib.parse.urljoin(base, asset.asset), name,
                            query(start, end))
        got, words = pictures(url)
        seen = oracle.differ(expected, got)
        report.check(seen is None, name + ': FFmpeg decodes its pictures',
                     '%s %s' % (seen, words[:300]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--base', required=True)
    parser.add_argument('--asset', required=True, help='URL path')
    parser.add_argument('--source', required=True, help='its file')
    parser.add_argument('--pictures', action='store_true')
    parser.add_argument('clips', nargs='+', help='"from-to", either may be '
                        'left out')
    options = parser.parse_args()
    failed = False
    report = oracle.Report('')
    try:
        asset = Asset(options.base, options.asset, options.source)
        check_whole(report, asset)
        for clip in options.clips:
            start, end = clip.split('-')
            report.prefix = '%s %s: ' % (options.asset.lstrip('/'), clip)
            check_clip(report, asset, start, end)
            if options.pictures:
                check_pictures(report, asset, options.base, start, end)
    except (client.ClientError, isobmff.BoxError, OSError, ValueError,
            KeyError) as error:
        report.check(False, 'can be read', '%s: %s'
                     % (type(error).__name__, error))
    print('\n'.join(report.lines), flush=True)
    failed |= report.failed
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
