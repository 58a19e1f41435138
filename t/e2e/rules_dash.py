"""Rules of the MPD."""

from fractions import Fraction

import client
import codec_strings


def check_mpd(rules, mpd, tracks):
    root, period = mpd.root, mpd.period
    rules.equal('DASH type static', root.get('type', 'static'), 'static')
    rules.expect('DASH static has mediaPresentationDuration',
                 root.get('mediaPresentationDuration'))
    rules.expect('IOP 3.10.2 minBufferTime', root.get('minBufferTime'))
    rules.expect('IOP static: nothing of live',
                 not {'timeShiftBufferDepth', 'minimumUpdatePeriod',
                      'availabilityStartTime'} & set(root.keys()))
    rules.equal('IOP the first Period starts at 0',
                client.xs_duration(period.get('start', 'PT0S')), 0)
    total = client.xs_duration(root.get('mediaPresentationDuration'))
    if period.get('duration'):
        rules.equal('IOP the last Period ends the presentation',
                    client.xs_duration(period.get('duration')), total)
    ids = [e.get('id') for e in mpd.sets] + [r.id
                                             for r in mpd.representations]
    ids = [i for i in ids if i is not None]
    representations = [r.id for r in mpd.representations]
    rules.expect('DASH ids are unique', len(set(representations)) == len(
        representations) and None not in representations, ids)
    ends = []
    longest = root.get('maxSegmentDuration')
    buffer = client.xs_duration(root.get('minBufferTime'))
    for representation in mpd.representations:
        if client.is_text(representation.map):
            continue
        check_representation(rules, representation,
                             tracks[client.track_of(representation.map)],
                             buffer)
        last = representation.entries[-1]
        ends.append(Fraction(last.time + last.duration
                             - representation.offset,
                             representation.timescale))
        if longest:
            rules.expect('IOP S@d is at most maxSegmentDuration', max(
                Fraction(e.duration, representation.timescale)
                for e in representation.entries)
                <= client.xs_duration(longest) + Fraction(1, 1000),
                representation.id)
    rules.expect('IOP the timeline covers the whole Period',
                 abs(max(ends) - total) <= Fraction(1, 1000),
                 '%s, %s' % (float(max(ends)), float(total)))
    videos = [a for a in mpd.sets if a.get('contentType') == 'video']
    if len(videos) > 1:
        roles = [e for a in videos for e in a.findall(client.MPD_NS + 'Role')
                 if e.get('value') == 'main']
        rules.equal('IOP one video set has the role main', len(roles), 1)
    rules.expect('DASH one AdaptationSet for a kind, language and codec',
                 len({set_key(a) for a in mpd.sets}) == len(mpd.sets),
                 [set_key(a) for a in mpd.sets])


def set_key(adaptation):
    first = adaptation.find(client.MPD_NS + 'Representation')
    codec = adaptation.get('codecs') or first.get('codecs', '')
    label = adaptation.find(client.MPD_NS + 'Label')
    roles = [r.get('value') for r in adaptation.findall(
        client.MPD_NS + 'Role')]
    channels = first.find(client.MPD_NS + 'AudioChannelConfiguration')
    return (adaptation.get('contentType'), adaptation.get('lang'),
            codec.split('.')[0], label is not None and label.text,
            tuple(roles), channels is not None and channels.get('value'))


def check_representation(rules, representation, track, buffer):
    get, name = representation.get, track.name
    template = representation.template
    rules.expect('DASH template or duration, never both',
                 template.get('duration') is None, name)
    rules.expect('IOP no S@n, no @eptDelta',
                 template.get('eptDelta') is None and not any(
                     s.get('n') for s in template.iter(client.MPD_NS + 'S')),
                 name)
    rules.expect('DASH no $Number$ or $Time$ in initialization',
                 '$Number' not in template.get('initialization')
                 and '$Time' not in template.get('initialization'), name)
    rules.equal('IOP @timescale is that of mdhd', representation.timescale,
                track.header.timescale, name)
    adaptation = representation.adaptation
    rules.equal('IOP @segmentAlignment true',
                adaptation.get('segmentAlignment'), 'true', name)
    rules.equal('IOP @startWithSAP 1', get('startWithSAP'), '1', name)
    rules.equal('DASH @mimeType', get('mimeType'), track.kind + '/mp4', name)
    codec = get('codecs') or ''
    rules.expect('DASH @codecs is one format, that of the track',
                 ',' not in codec
                 and codec_strings.matches(codec, track.header.entries[0]),
                 '%s: %s, expected %s' % (
                     name, codec, codec_strings.of(track.header.entries[0])))
    check_bandwidth(rules, representation, track, buffer)
    if track.kind == 'video':
        rules.expect('IOP video has @width @height @frameRate @sar',
                     all(get(a) for a in ('width', 'height', 'frameRate',
                                          'sar')), name)
    else:
        configurations = representation.find('AudioChannelConfiguration')
        rules.equal('IOP one AudioChannelConfiguration',
                    len(configurations), 1, name)
        rules.expect('IOP @audioSamplingRate', (get('audioSamplingRate')
                                                or '').isdigit(), name)
        rules.expect('IOP @lang of audio', adaptation.get('lang'), name)


def check_bandwidth(rules, representation, track, buffer):
    """5.3.5.2: at this rate, after minBufferTime, playing never waits."""
    rate = int(representation.element.get('bandwidth'))
    sizes = [8 * len(s.data) for s in track.segments]
    starts = [Fraction(e.time, representation.timescale)
              for e in representation.entries]
    worst = Fraction(0)
    for a in range(len(sizes)):
        bits = 0
        for b in range(a, len(sizes)):
            bits += sizes[b]
            worst = max(worst, bits / (buffer + starts[b] - starts[a]))
    rules.expect('DASH 5.3.5.2 @bandwidth over minBufferTime',
                 rate >= worst - 1, '%s: %d, needed %.1f'
                 % (track.name, rate, worst))
    if track.sparse:
        return
    rules.expect('DASH 5.3.5.2 @bandwidth is no larger than needed',
                 rate <= worst * Fraction(101, 100) + 2,
                 '%s: %d, needed %.1f' % (track.name, rate, worst))
