#!/usr/bin/env python3
"""Sample entries: what the header of each track has is what its source has.

Every box of the source's sample entry has to be there byte for byte, but for
an esds whose ES_ID is 0, and the name of an entry only changes from in-band to
out-of-band parameter sets.
"""

import argparse
import sys
import urllib.parse

import client
import codec_strings
import isobmff
import oracle

RENAMED = {'hev1': 'hvc1', 'avc3': 'avc1', 'dvhe': 'dvh1', '.mp3': 'mp4a'}
KEPT = ('avcC hvcC av1C vpcC dOps dac3 dec3 dfLa esds colr pasp clap mdcv clli '
        'dvcC dvvC btrt ddts alac').split()


def compare(report, where, source, got):
    name = RENAMED.get(source.kind, source.kind)
    report.check(got.kind in (name, source.kind), where + 'name of the entry',
                 '%s from %s' % (got.kind, source.kind))
    for kind in KEPT:
        theirs, ours = source.children.get(kind), got.children.get(kind)
        if theirs is None:
            continue
        if ours is None:
            report.check(False, '%s%s is kept' % (where, kind), 'it is gone')
        elif kind == 'esds':
            a, b = (codec_strings.descriptors(e) for e in (theirs, ours))
            report.check((a[0], a[2]) == (b[0], b[2]),
                         where + 'esds is kept', '%s, %s' % (a, b))
        elif kind == 'colr' and theirs.payload[:4] == b'nclc':
            report.check(ours.payload[4:10] == theirs.payload[4:10],
                         where + 'colr is kept', ours.payload)
        else:
            report.check(theirs.payload == ours.payload,
                         '%s%s is kept' % (where, kind),
                         '%s, %s' % (theirs.payload.hex(),
                                     ours.payload.hex()))


def check_asset(report, base, asset, path, where):
    try:
        source = isobmff.Source(path)
    except isobmff.BoxError:
        return
    fetcher = client.Fetcher(base)
    master = client.Master(fetcher, asset + '/master.m3u8')
    sources = [t for t in source.tracks if t.samples() is not None]
    for media in master.media.values():
        name = client.track_of(media.path)
        if name.startswith('s'):
            continue                    # of text a new one is made
        header = isobmff.Header(fetcher.get(media.map))
        line = [t for t in sources if t.handler == header.handler
                and t.entries[0].kind in carried_kinds(header.handler)]
        compare(report, '%s%s: ' % (where, name),
                line[int(name[1:]) - 1].entries[0], header.entries[0])


def carried_kinds(handler):
    return {'vide': {'avc1', 'avc3', 'hvc1', 'hev1', 'dvh1', 'dvhe', 'av01',
                     'vp09', 'vp08', 'mp4v'},
            'soun': {'mp4a', 'Opus', 'fLaC', 'ac-3', 'ec-3', '.mp3', 'alac',
                     'dtsc', 'dtse', 'dtsh', 'dtsl'}}[handler]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--base', required=True)
    parser.add_argument('--index', required=True)
    parser.add_argument('--root', required=True)
    parser.set_defaults(expect='exact,leftout')
    options = parser.parse_args()
    failed = False
    prefix = urllib.parse.urlsplit(options.base).path
    for asset, path, _, where, _ in oracle.jobs(options):
        report = oracle.Report()
        try:
            check_asset(report, options.base, prefix + asset, path, where)
        except (client.ClientError, isobmff.BoxError, IndexError,
                KeyError) as error:
            report.check(False, where + 'can be read', repr(error))
        print('\n'.join(report.lines), flush=True)
        failed |= report.failed
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
