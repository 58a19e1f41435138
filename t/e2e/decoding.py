"""What decoders make of a file, for the oracle."""

import re
import subprocess
import tempfile

import source


class Decoded:
    """A track as it was received, read and decoded as a file."""

    def __init__(self, got, truth):
        with tempfile.NamedTemporaryFile(suffix='.mp4') as stream:
            stream.write(got.bytes)
            stream.flush()
            self.reader = source.Demuxed(stream.name)
            self.words = decode_words(stream.name, '0:0')
            self.same = None
            if truth.demuxed:
                self.same = compare(truth, stream.name)


def ffmpeg(*arguments):
    run = subprocess.run(
        ['ffmpeg', '-nostdin', '-threads', '1', *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return run.stdout, run.stderr.decode('utf-8', 'replace'), run.returncode


# Frames are passed on as they come: times have been held against the source,
# and a null muxer at a constant rate complains of every variable one.  (The
# demuxer's own time base has another name in each FFmpeg.)

PASSED = ['-fps_mode', 'passthrough', '-enc_time_base:v', '1:1000000']


def decode_words(path, which):
    _, words, status = ffmpeg('-v', 'warning', '-xerror', '-i', path, '-map',
                              which, *PASSED, '-f', 'null', '-')
    if status and not words:
        words = 'exit status %d' % status
    return words


def kinds_of(words):
    """Messages without their addresses, numbers and file names."""
    return {re.sub(r'0x[0-9a-f]+|\d+', '#', re.sub(r'^/\S*: ', '', line))
            .split('] ')[-1]
            for line in words.splitlines() if line.strip()}


def new_errors(words, path):
    """What decoding the source itself does not say, stopped by it or not."""
    told = ''.join(ffmpeg('-v', 'warning', *stop, '-i', path, '-f', 'null',
                          '-')[1] for stop in ([], ['-xerror']))
    return '\n'.join(sorted(kinds_of(words) - kinds_of(told)))


def compare(truth, served):
    """How decoding the source and what is served differ, as a sentence."""
    made = pictures if truth.kind == 'video' else sound
    decoder = DECODERS.get(truth.codec, [])
    theirs, words, _ = made(decoder, truth.path, '0:%d' % truth.index)
    if words:
        return None
    ours, words, _ = made(decoder, served, '0:0')
    if truth.kind == 'video':
        theirs, ours = frames_of(theirs), frames_of(ours)
        if theirs == ours:
            return None
        wrong = [n for n, (a, b) in enumerate(zip(theirs, ours)) if a != b]
        return 'frame %s of %d differs, %d are served %s' % (
            wrong[0] + 1 if wrong else '-', len(theirs), len(ours), words)
    return compare_sound(truth, theirs, ours, words)


# ISO BMFF has one object type for all layers of MPEG-1 sound, of which FFmpeg
# takes another decoder, that rounds otherwise, than it takes of a stream whose
# layer is known: 1 of 32768 is between them.

DECODERS = {'mp2': ['-c:a', 'mp2']}


def pictures(decoder, path, which):
    return ffmpeg('-v', 'error', '-noautorotate', *decoder, '-i', path, '-map',
                  which, *PASSED, '-f', 'framemd5', '-')


def frames_of(text):
    return [line.rpartition(b',')[2].strip() for line in text.splitlines()
            if line and not line.startswith(b'#')]


def sound(decoder, path, which):
    return ffmpeg('-v', 'error', *decoder, '-i', path, '-map', which, '-ac',
                  '1', '-f', 's16le', '-')


# A player drops what the edit list says by the clock, FFmpeg by what it knows
# of the codec: the samples are the same, but for where they begin and end, to
# a tick of the clock.  Where the container alone says that AAC is HE-AAC the
# header says it too, and FFmpeg decodes twice the samples.

ROOM = 2 * 4096


def compare_sound(truth, theirs, ours, words):
    theirs, ours = memoryview(theirs), memoryview(ours)
    if truth.codec == 'aac' and len(ours) == 2 * len(theirs):
        return None
    tick = 2 + 2 * int(truth.base * int(truth.stream['sample_rate']))
    for offset in sorted(range(-ROOM, ROOM + 1, 2), key=abs):
        a = theirs[max(offset, 0):]
        b = ours[max(-offset, 0):]
        both = min(len(a), len(b))
        if a[:both] == b[:both] and len(a) - both <= tick:
            return None
    return '%d samples decoded of the source, %d of what is served, and ' \
        'they are not the same %s' % (len(theirs) // 2, len(ours) // 2, words)
