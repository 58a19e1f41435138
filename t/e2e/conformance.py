#!/usr/bin/env python3
"""Rules that a single-file asset has to keep, each named by its number.

  A...        Apple HLS Authoring Specification
  RFC8216bis  draft-pantos-hls-rfc8216bis
  CMAF        ISO/IEC 23000-19
  MSE         ISO BMFF byte stream format
  DASH, IOP   ISO/IEC 23009-1 and the DASH-IF guidelines

Prints one line a rule and asset; exit status 1 when one is broken.
"""

import argparse
import concurrent.futures
import os
import struct
import sys
import urllib.parse
from fractions import Fraction

import client
import isobmff
import oracle
import rules_cmaf
import rules_dash
import rules_hls
import source


class Rules:
    """Collects the first thing that breaks each rule."""

    def __init__(self, report):
        self.report, self.rules = report, {}

    def expect(self, rule, ok, seen=''):
        known = self.rules.setdefault(rule, None)
        if not ok and known is None:
            self.rules[rule] = str(seen) or 'not so'
        return ok

    def equal(self, rule, got, expected, where=''):
        return self.expect(rule, got == expected, '%s: got %s, expected %s'
                           % (where, got, expected))

    def close(self):
        for rule, seen in self.rules.items():
            self.report.check(seen is None, rule, seen)


TYPES = {'.m3u8': {'application/vnd.apple.mpegurl'},
         '.mpd': {'application/dash+xml'},
         '.vtt': {'text/vtt'}}


def check_types(rules, fetcher, tracks):
    for path, headers in fetcher.headers.items():
        ending = os.path.splitext(path)[1]
        wanted = TYPES.get(ending) or {
            tracks[client.track_of(path)].kind + '/mp4'}
        rules.expect('A10.4 media types', headers.get('content-type')
                     in wanted, '%s: %s' % (path,
                                            headers.get('content-type')))


def check_asset(job):
    asset, path, _, prefix, options = job
    asset = urllib.parse.urlsplit(options.base).path + asset
    report = oracle.Report(prefix)
    rules = Rules(report)
    try:
        fetcher = client.Fetcher(options.base)
        master = client.Master(fetcher, asset + '/master.m3u8')
        mpd = client.Mpd(fetcher, asset + '/manifest.mpd')
        hls, _ = oracle.received_tracks(fetcher, master, mpd)
        tracks = {n: oracle.Received(n, fetcher, *hls[n][:2]) for n in hls}
        medias = {n: hls[n][2] for n in hls}
        for name in source.sparse_tracks(path):
            tracks[name].sparse = True
        for track in tracks.values():
            rules_cmaf.check_header(rules, track)
            rules_cmaf.check_segments(rules, track)
        rules_cmaf.check_times(rules, tracks, medias, options.target)
        rules_hls.check_media(rules, medias)
        rules_hls.check_master(rules, master, tracks, medias)
        rules_hls.check_iframes(rules, master, tracks, medias)
        rules_hls.check_dates(rules, tracks, medias, {
            client.track_of(p): m for p, m in master.iframe_media.items()})
        rules_dash.check_mpd(rules, mpd, tracks)
        check_types(rules, fetcher, tracks)
    except (client.ClientError, isobmff.BoxError, ValueError, KeyError,
            AttributeError, struct.error, IndexError) as error:
        report.check(False, 'can be read', '%s: %s'
                     % (type(error).__name__, error))
        if options.trace:
            raise
    rules.close()
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--base', required=True)
    parser.add_argument('--asset')
    parser.add_argument('--source', default='')
    parser.add_argument('--index')
    parser.add_argument('--root', default='')
    parser.add_argument('--expect', default='exact,leftout')
    parser.add_argument('--target', type=Fraction, default=Fraction(6),
                        help='vod_segment_duration in seconds')
    parser.add_argument('--trace', action='store_true')
    options = parser.parse_args()
    failed = False
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        for report in pool.map(check_asset, list(oracle.jobs(options))):
            print('\n'.join(report.lines), flush=True)
            failed |= report.failed
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
