#!/usr/bin/env python3
"""The oracle: what a client receives is the source, sample by sample.

For an asset and its source file: everything is fetched as an HLS player and as
a DASH player would, header and segments of each track are appended, and

  * the samples, by SHA-256 of their bytes and in decode order, are those that
    libavformat demuxes from the source, its edit list applied;
  * presentation times are those of the source in the track's timescale, all
    tracks on one origin, no tick of drift; durations and sync flags too;
  * of a source that is no ISO BMFF, what decoders make of the track is what
    they make of the source, and it ends where that ends;
  * EXTINF and SegmentTimeline tell the real spans;
  * the appended file decodes without a word.

Prints one line a check, "ok" or "not ok"; exit status 1 when one failed.
"""

import argparse
import concurrent.futures
import math
import os
import sys
import urllib.parse
from fractions import Fraction

import client
import decoding
import isobmff
import mutations
import source


class Report:
    def __init__(self, prefix=''):
        self.prefix, self.lines, self.failed = prefix, [], False

    def check(self, ok, name, seen=''):
        self.failed |= not ok
        text = str(seen).replace('\n', ' | ')[:600]
        self.lines.append('%s\t%s%s\t%s' % ('ok' if ok else 'not ok',
                                            self.prefix, name,
                                            '' if ok else text))
        return ok


# --- what was received

class Received:
    """One track: its header, its segments, as one list of samples."""

    def __init__(self, name, fetcher, init, urls):
        self.name, self.init_url, self.urls = name, init, urls
        self.header = isobmff.Header(fetcher.get(init))
        self.segments = [isobmff.Segment(fetcher.get(u), self.header)
                         for u in urls]
        self.samples = [s for g in self.segments for s in g.samples]
        self.forms, self.sparse = {}, False
        self.bytes = fetcher.get(init) + b''.join(
            fetcher.get(u) for u in urls)

    @property
    def kind(self):
        return {'vide': 'video', 'soun': 'audio'}.get(self.header.handler)

    def hashes(self, truth):
        """Of the samples, in the form the source's packets are hashed in."""
        if not truth.converted:
            return [s.hash for s in self.samples]
        if truth.codec not in self.forms:
            self.forms[truth.codec] = [
                source.served_form(truth.codec, g.data[at:at + size],
                                   self.header)
                for g in self.segments for at, size in g.extents]
        return self.forms[truth.codec]

    def starts(self):
        """Presentation time at which each segment starts, and the end."""
        found = [min(s.pts for s in g.samples) for g in self.segments]
        end = max(s.pts + s.duration for s in self.samples)
        return found + [end]

    @property
    def room(self):
        """How far a segment may begin from where it was told to, in ticks.

        A sparse track's is told to begin at the cut: sound does so with its
        first sample from there on.
        """
        if not self.sparse:
            return 0
        return max(s.duration for s in self.samples) + 1


def differ(expected, got, describe=str):
    """Where two lists part, as a sentence; None when they are equal."""
    if expected == got:
        return None
    for n, (a, b) in enumerate(zip(expected, got)):
        if a != b:
            return 'sample %d of %d: expected %s, got %s' % (
                n + 1, len(expected), describe(a), describe(b))
    return 'expected %d samples, got %d' % (len(expected), len(got))


def find_run(whole, part):
    """The place of one list inside another, or None."""
    for n in range(len(whole) - len(part) + 1):
        if whole[n] == part[0] and whole[n:n + len(part)] == part:
            return n
    return None


def overlap(theirs, ours):
    """Where ours starts in theirs, negative where theirs starts in ours."""
    if not theirs or not ours:
        return None
    at = find_run(theirs, ours)
    if at is None:
        at = find_run(ours, theirs)
        at = at and -at
    return at


def align(packets, samples):
    """Packets and samples that belong together, and what is wrong.

    All packets to be shown have to be there, in order, and nothing that the
    demuxer does not know. Where one edit continues another it hands out
    packets to be discarded a second time, in between.
    """
    theirs, ours = [p.hash for p in packets], [s.hash for s in samples]
    at = overlap(theirs, ours)
    if at is None:
        return align_shown(packets, samples)
    if at < 0:
        return packets, samples[-at:len(packets) - at], None
    rest = packets[:at] + packets[at + len(samples):]
    lost = sum(not p.discard for p in rest)
    return (packets[at:at + len(samples)], samples,
            '%d packets to be shown are missing' % lost if lost else None)


def align_shown(packets, samples):
    known = {p.hash for p in packets if p.discard}
    shown = [p for p in packets if not p.discard]
    pairs, at = [], 0
    for n, sample in enumerate(samples):
        if at < len(shown) and sample.hash == shown[at].hash:
            pairs.append((shown[at], sample))
            at += 1
        elif sample.hash not in known:
            return [], [], 'sample %d of %d is %s, not %s' % (
                n + 1, len(samples), sample.hash[:12],
                shown[at].hash[:12] if at < len(shown) else 'there')
    seen = None
    if at < len(shown):
        seen = 'packet %d of %d to be shown is missing' % (at + 1, len(shown))
    return [p for p, _ in pairs], [s for _, s in pairs], seen


def check_track(report, got, truth, origin, decoded):
    name = got.name + ': '
    hashes = [s.hash for s in got.samples]
    report.check(got.kind == truth.kind, name + 'kind of track', got.kind)

    if truth.demuxed:
        check_demuxed(report, got, truth, origin)
    else:
        check_boxes(report, got, truth)

    times = [s.decode_time for s in got.segments[1:]]
    ends = [s.end_time for s in got.segments[:-1]]
    seen = differ(ends, times)
    report.check(seen is None, name + 'segments follow one another', seen)

    if decoded is not None:
        packets = decoded.reader.packets.get(0, [])
        seen = differ([h[:12] for h in hashes],
                      [p.hash[:12] for p in packets])
        report.check(seen is None and not decoded.reader.errors,
                     name + 'libavformat reads the same packets',
                     seen or decoded.reader.errors)
        if truth.demuxed:
            report.check(decoded.same is None,
                         name + 'decodes to what the source decodes to',
                         decoded.same)


def check_boxes(report, got, truth):
    """A track of an ISO BMFF file."""
    name = got.name + ': '
    pts = [s.pts for s in got.samples]

    # The demuxer hands out what an edit needs for decoding, marked to be
    # discarded, and more behind its end than has to be served.
    theirs, ours, seen = align(truth.packets, got.samples)
    report.check(seen is None, name + 'packets of the demuxer in order', seen)

    if truth.samples:
        check_edit(report, got, truth)

    # libavformat moves a track whose first time would be positive to zero;
    # such a track is held against the boxes alone, with one shift for all.
    scale = truth.base * got.header.timescale
    shifts = {s.pts - p.pts * scale for s, p in zip(ours, theirs)
              if p.pts is not None}
    allowed = shifts == {0} or (
        len(shifts) == 1 and truth.samples
        and pts == [s.pts for s in truth.samples])
    report.check(allowed and seen is None,
                 name + 'presentation times of the demuxer, no drift',
                 'differences %s' % sorted(shifts)[:6])


def check_edit(report, got, truth):
    name, scale = got.name + ': ', got.header.timescale
    pts = [s.pts for s in got.samples]
    seen = differ([s.hash[:12] for s in truth.samples],
                  [s.hash[:12] for s in got.samples])
    report.check(seen is None, name + 'samples of the edit in order', seen)
    seen = differ([s.pts for s in truth.samples], pts)
    report.check(seen is None, name + 'presentation times', seen)
    seen = differ([s.duration for s in truth.samples][:-1],
                  [s.duration for s in got.samples][:-1])
    report.check(seen is None, name + 'sample durations', seen)
    seen = differ([s.sync for s in truth.samples],
                  [s.sync for s in got.samples])
    report.check(seen is None, name + 'sync samples', seen)
    report.check(scale == truth.track.timescale,
                 name + 'timescale of the source', scale)
    errors = [(abs(Fraction(p, scale) - t), s.duration) for p, t, s
              in zip(pts, truth.exact, got.samples) if s.duration]
    worst = max((2 * e * scale / d for e, d in errors), default=0)
    report.check(worst < 1, name + 'sync error under half a sample',
                 'twice the error is %.3f samples' % worst)


def check_demuxed(report, got, truth, origin):
    """A track of another container."""
    name, scale = got.name + ': ', got.header.timescale
    seen = differ([p.hash[:12] for p in truth.packets],
                  [h[:12] for h in got.hashes(truth)])
    report.check(seen is None, name + 'packets of the demuxer in order', seen)

    pairs = list(zip(got.samples, truth.packets))
    shifts = {s.pts - p.pts * truth.base * scale for s, p in pairs
              if p.pts is not None}
    # Of frames that share a time stamp all but one are counted on from it.
    counted = truth.counted
    report.check(len(shifts) == 1 or counted and max(shifts) - min(shifts) <= 2,
                 name + 'presentation times, no drift',
                 'differences %s' % [float(d) for d in sorted(shifts)[:6]])
    worst = max((abs(d + origin * scale) for d in shifts), default=0)
    report.check(worst <= (1 if counted else Fraction(1, 2)),
                 name + 'presentation times of the '
                 'source, from its one origin', '%.3f ticks apart, the origin '
                 'being %.6f s' % (worst, origin))

    wrong = [n + 1 for n, (s, p) in enumerate(pairs)
             if s.sync and not p.key or p.key and not s.sync
             and truth.codec not in ('h264', 'hevc')]
    report.check(not wrong, name + 'sync samples', wrong[:6])

    end = truth.end
    if end is not None:
        served = Fraction(got.starts()[-1], scale)
        # How long the last picture lasts is a guess, of libavformat too.
        room = Fraction(2 if truth.counted else 1, scale)
        if truth.kind == 'video':
            room = max(room, Fraction(max(s.duration for s in got.samples),
                                      2 * scale), truth.gap)
        report.check(abs(served - (end - origin)) <= room,
                     name + 'the end is that of the source',
                     '%.6f, %.6f s' % (served, end - origin))


def last_early(received, due):
    """How much earlier than presented the last segment of several is listed.

    Shaka Player ends where its tfdt, counted from the first one, with its
    EXTINF reaches the sum of all; so that is where it begins if it is more
    than a date's millisecond, but 33 ms at most, and not more
    than half of the segment before.
    """
    if len(received.segments) < 2:
        return 0
    first, last = (microseconds(Fraction(received.segments[n].decode_time,
                                         received.header.timescale))
                   for n in (0, -1))
    told = microseconds(due[-2])
    if told - (last - first) < 1000:
        return 0
    # dates are to the millisecond
    dates = [(t + 500) // 1000 * 1000 for t in (first, last)]
    behind = told - (dates[1] - dates[0])
    before = due[-3] if len(due) > 2 else 0
    return min(Fraction(behind, 1000000), Fraction(33, 1000),
               (due[-2] - before) / 2)


def microseconds(seconds):
    return math.floor(seconds * 1000000 + Fraction(1, 2))


def check_extinf(report, received, media, origin):
    """Sums of EXTINF against real times, each sum within a microsecond."""
    scale = received.header.timescale
    times = [Fraction(t, scale) for t in received.starts()]
    due = [end - origin for end in times[1:]]
    room = Fraction(received.room, scale)
    early = last_early(received, due)
    if early:
        due[-2] -= early
    total, worst = Fraction(0), Fraction(0)
    for (_, duration), end in zip(media.segments, due):
        total += duration
        worst = max(worst, abs(total - end))
    report.check(worst <= room + Fraction(1, 500000),
                 received.name + ': sums of EXTINF are the real times',
                 'off by up to %.6f s' % worst)


def check_timeline(report, received, representation, origin):
    """S@t and S@d against real times, in ticks; the Period at the origin."""
    report.check(representation.timescale == received.header.timescale,
                 received.name + ': MPD timescale is that of the track',
                 representation.timescale)
    starts = received.starts()
    real = [max(0, t) for t in starts[:-1]]
    told = [e.time for e in representation.entries]
    seen = differ(real, told)
    if received.sparse and len(real) == len(told) and real[0] == told[0]:
        worst = max(abs(a - b) for a, b in zip(real, told))
        seen = seen if worst > received.room else None
    report.check(seen is None, received.name + ': S@t are the real times',
                 seen and seen.replace('sample', 'segment'))
    end = representation.entries[-1]
    report.check(end.time + end.duration == starts[-1],
                 received.name + ': last S ends with the track',
                 '%d, %d' % (end.time + end.duration, starts[-1]))
    zero = origin * representation.timescale
    report.check(abs(representation.offset - zero) <= Fraction(1, 2),
                 received.name + ': @presentationTimeOffset is the origin',
                 '%d, %s' % (representation.offset, float(zero)))


def received_tracks(fetcher, master, mpd):
    """Those of sound and pictures; texts.py has those of text."""
    hls, dash = {}, {}
    for path, media in master.media.items():
        if media.is_text:
            continue
        hls[client.track_of(path)] = (media.map,
                                      [u for u, _ in media.segments], media)
    for representation in mpd.representations:
        if client.is_text(representation.map):
            continue
        dash[client.track_of(representation.map)] = (
            representation.map, [e.url for e in representation.entries],
            representation)
    return hls, dash


def order(name):
    return (name[0] != 'v', name[0], int(name[1:]))


def check_asset(job):
    asset, path, counts, prefix, options = job
    report = Report(prefix)
    try:
        expected = source.truths(path)
        for n, base in enumerate(options.base):
            if len(options.base) > 1:
                report.prefix = '%s%s' % (
                    urllib.parse.urlsplit(base).path.lstrip('/') + ': ',
                    prefix)
            _check_asset(report, base, asset, path, expected, counts,
                         options, options.decode and n == 0)
    except (client.ClientError, isobmff.BoxError, OSError, ValueError,
            KeyError) as error:
        report.check(False, 'can be read', '%s: %s'
                     % (type(error).__name__, error))
    return report


def _check_asset(report, base, asset, path, expected, counts, options,
                 decoded):
    mutate = options.mutate and mutations.Mutation(
        options.mutate, options.track, options.segment)
    fetcher = client.Fetcher(base, mutate)
    asset = urllib.parse.urlsplit(base).path + asset
    master = client.Master(fetcher, asset + '/master.m3u8')
    mpd = client.Mpd(fetcher, asset + '/manifest.mpd')
    hls, dash = received_tracks(fetcher, master, mpd)

    report.check(sorted(hls) == sorted(dash), 'HLS and DASH have one set of '
                 'tracks', '%s, %s' % (sorted(hls), sorted(dash)))

    names = sorted(set(hls) | set(dash), key=order)
    kinds = [sum(t.kind == k for t in expected) for k in ('video', 'audio')]
    if counts:
        kinds = counts
    report.check([sum(n[0] == k for n in names) for k in 'va'] == kinds,
                 'tracks', '%s, expected %d video and %d audio'
                 % (names, *kinds))

    tracks, sparse = {}, source.sparse_tracks(path)
    for name in names:
        ways = [d[name][:2] for d in (hls, dash) if name in d]
        tracks[name] = [Received(name, fetcher, *w) for w in ways]
        for track in tracks[name]:
            track.sparse = name in sparse
        if len(ways) == 2:
            report.check(tracks[name][0].bytes == tracks[name][1].bytes,
                         name + ': the same bytes over HLS and DASH',
                         '%d, %d' % tuple(len(t.bytes)
                                          for t in tracks[name]))
            report.check(ways[0] == ways[1],
                         name + ': the same URLs over HLS and DASH', ways)

    origin = min(max(Fraction(0), Fraction(min(s.pts for s in t[0].samples),
                                           t[0].header.timescale))
                 for t in tracks.values())
    pairs = matched(report, tracks, expected, names)
    begin = min((t.start for _, t in pairs), default=Fraction(0))
    for got, truth in pairs:
        name, made = got.name, None
        if decoded:
            made = decoding.Decoded(got, truth)
        check_track(report, got, truth, begin, made)
        if made is not None:
            words = made.words
            if words and options.lenient:
                words = decoding.new_errors(words, path)
            report.check(not words, name + ': decodes without a word', words)
        if name in hls:
            check_extinf(report, got, hls[name][2], origin)
        if name in dash:
            check_timeline(report, got, dash[name][2], origin)


def fits(got, truth):
    if truth.demuxed:
        return got.kind == truth.kind and \
            [p.hash for p in truth.packets] == got.hashes(truth)
    return align(truth.packets, got.samples)[2] is None


def matched(report, tracks, expected, names):
    """Tracks and what they are in the source, in file order.

    Those of the source that are left out are passed over.
    """
    left = {'v': [t for t in expected if t.kind == 'video'],
            'a': [t for t in expected if t.kind == 'audio']}
    pairs = []
    for name in names:
        got, line = tracks[name][0], left[name[0]]
        if not line:
            report.check(False, name + ': has a track in the source')
            continue
        truth = next((t for t in line if fits(got, t)), line[0])
        left[name[0]] = line[line.index(truth) + 1:]
        pairs.append((got, truth))
    return pairs


def jobs(options):
    if not options.index:
        yield options.asset, options.source, None, '', options
        return
    with open(options.index, encoding='utf-8') as stream:
        rows = [line.rstrip('\n').split('\t') for line in stream
                if line.strip()][1:]
    for row in rows:
        if row[1] not in options.expect.split(','):
            continue
        counts = [int(row[2]), int(row[3])] if row[2].isdigit() else None
        yield ('/' + urllib.parse.quote(row[0]),
               os.path.join(options.root, row[0]), counts, row[0] + ': ',
               options)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--base', required=True, action='append',
                        help='http://host:port/prefix; the first of several '
                             'is decoded')
    parser.add_argument('--asset', help='URL path of the asset')
    parser.add_argument('--source', help='its file')
    parser.add_argument('--index', help='INDEX.tsv of fixtures')
    parser.add_argument('--root', help='folder the paths of it are in')
    parser.add_argument('--expect', default='exact,leftout')
    parser.add_argument('--mutate', choices=sorted(mutations.ALL),
                        help='damage what was fetched')
    parser.add_argument('--track', default='v1', help='track to damage')
    parser.add_argument('--segment', type=int, default=2,
                        help='segment to damage')
    parser.add_argument('--no-decode', dest='decode', action='store_false')
    parser.add_argument('--lenient', action='store_true',
                        help='allow the words the source itself causes')
    options = parser.parse_args()
    failed = False
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        for report in pool.map(check_asset, list(jobs(options))):
            print('\n'.join(report.lines), flush=True)
            failed |= report.failed
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
