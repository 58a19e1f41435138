#!/usr/bin/env python3
"""FFmpeg plays the HLS and the DASH of every fixture without a word."""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

import oracle


# Every rendition is played: one that is not wanted is left in the middle of a
# packet, of which newer FFmpegs complain; and frames have the times they have,
# to the microsecond, where the null muxer would have the nominal rate.  It has
# no encoder for subtitles, and a cue stands in each segment in which it is
# active, so that their times go back: t/subtitles.t judges those.

PLAYED = ['-map', '0', '-map', '-0:s?', '-fps_mode', 'vfr',
          '-enc_time_base:v', '1:1000000']


# FFmpeg 9 reads a DASH presentation a second time where looking for the frame
# rate has brought it to the end: its own, of a second of 25 pictures with a
# timescale of 1000, has 50 then, without any server.  It looks at 0.2 s here,
# and plays all of it the same.

LOOKED = {'manifest.mpd': ['-analyzeduration', '200000']}


# The DASH demuxer stops at the end of the track that is behind, one frame long
# in one-frame-with-audio.mp4: FFmpeg 7 speaks of the track it has not read by
# then, others do not.  Over HLS it is read.

UNREAD = re.compile(r'^\[af#.*\] No filtered frames for output stream, '
                    r'trying to initialize anyway\.\n', re.M)


# FFmpeg has no subtitles over HLS, and says so once a rendition.

UNABLE = re.compile(r"^\[hls @ \w+\] Can't support the subtitle"
                    r"\(uri: s\d+/index\.m3u8\)\n", re.M)


def play(job):
    name, url = job
    run = subprocess.run(
        ['ffmpeg', '-nostdin', '-v', 'warning', '-threads', '1',
         *LOOKED.get(url.rsplit('/', 1)[-1], []), '-i', url, *PLAYED, '-f',
         'null', '-'],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    words = run.stdout.decode('utf-8', 'replace')
    if name.endswith('.mpd'):
        words = UNREAD.sub('', words)
    return name, run.returncode, UNABLE.sub('', words)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--base', required=True)
    parser.add_argument('--index', required=True)
    parser.set_defaults(expect='exact,leftout', root='')
    options = parser.parse_args()
    jobs = [(where + name, '%s%s/%s' % (options.base, asset, name))
            for asset, _, _, where, _ in oracle.jobs(options)
            for name in ('master.m3u8', 'manifest.mpd')]
    report = oracle.Report()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, status, words in pool.map(play, jobs):
            report.check(status == 0 and not words, name,
                         '%d %s' % (status, words))
    print('\n'.join(report.lines))
    return 1 if report.failed else 0


if __name__ == '__main__':
    sys.exit(main())
