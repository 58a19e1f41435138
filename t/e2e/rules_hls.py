"""Rules of HLS playlists."""

import math
import struct
from fractions import Fraction

import client
import codec_strings
from rules_cmaf import UNITY


def peak(track, media, target):
    return peak_of([len(s.data) for s in track.segments],
                   [d for _, d in media.segments], target)


def peak_of(sizes, times, target):
    """Largest rate of a run of half to one and a half target durations.

    Of a track too short for such a run, that of a segment.
    """
    best = Fraction(0)
    for a in range(len(sizes)):
        size, time = 0, Fraction(0)
        for b in range(a, len(sizes)):
            size += sizes[b]
            time += times[b]
            if time > target * Fraction(3, 2):
                break
            if time >= target * Fraction(1, 2):
                best = max(best, 8 * size / time)
    if not best:
        best = max(8 * size / time for size, time in zip(sizes, times))
    return max(best, 8 * sum(sizes) / sum(times))


def average(track, media):
    return 8 * sum(len(s.data) for s in track.segments) / sum(
        d for _, d in media.segments)


def check_media(rules, medias):
    durations = set()
    for name, media in medias.items():
        target = media.value('EXT-X-TARGETDURATION')
        durations.add(target)
        whole = target is not None and target.isdigit() and int(target) >= 1
        rules.expect('RFC8216bis TARGETDURATION is an integer from 1', whole,
                     '%s: %s' % (name, target))
        rules.expect('RFC8216bis EXTINF rounded is at most TARGETDURATION',
                     whole and all(math.floor(d + Fraction(1, 2))
                                   <= int(target)
                                   for _, d in media.segments), name)
        rules.equal('RFC8216bis EXT-X-VERSION 6, no higher than needed',
                    media.value('EXT-X-VERSION'), '6', name)
        rules.equal('A8.6 EXT-X-PLAYLIST-TYPE:VOD',
                    media.value('EXT-X-PLAYLIST-TYPE'), 'VOD', name)
        rules.equal('RFC8216bis EXT-X-ENDLIST is the last line',
                    getattr(media.lines[-1], 'name', None),
                    'EXT-X-ENDLIST', name)
        rules.expect('A8.20 EXT-X-MAP before the first segment',
                     [getattr(l, 'name', 'uri') for l in media.lines].index(
                         'EXT-X-MAP') <
                     [isinstance(l, str) for l in media.lines].index(True),
                     name)
        rules.expect('RFC8216bis tags of one family in a playlist',
                     not any(media.has(t) for t in (
                         'EXT-X-STREAM-INF', 'EXT-X-MEDIA')), name)
        rules.expect('A8.1 EXTINF has six decimals',
                     all(len(t.value.split(',')[0].partition('.')[2]) == 6
                         for t in media.tags if t.name == 'EXTINF'), name)
    rules.equal('A8.2 one TARGETDURATION in all playlists', len(durations), 1,
                durations)
    rules.expect('RFC8216bis TARGETDURATION is no larger than needed',
                 durations == {str(max(1, *(
                     math.floor(d + Fraction(1, 2))
                     for m in medias.values() for _, d in m.segments)))},
                 durations)


def check_master(rules, master, tracks, medias):
    video = any(t.kind == 'video' for t in tracks.values())
    names = [t.name for t in master.tags]
    rules.expect('RFC8216bis multivariant playlist has no EXT-X-VERSION',
                 'EXT-X-VERSION' not in names)
    rules.expect('A9.11 EXT-X-INDEPENDENT-SEGMENTS',
                 names.count('EXT-X-INDEPENDENT-SEGMENTS') == 1)
    rules.expect('RFC8216bis tags of one family in a playlist',
                 not {'EXTINF', 'EXT-X-TARGETDURATION',
                      'EXT-X-MAP'} & set(names))
    groups = check_groups(rules, master, tracks)
    for attributes, path in master.variants:
        check_variant(rules, attributes, tracks[client.track_of(path)],
                      groups, tracks, medias)
    if video:
        rules.expect('A8.9 A9.5 audio beside video is in EXT-X-MEDIA',
                     all(tracks[client.track_of(p)].kind == 'video'
                         for _, p in master.variants)
                     and sum(t.kind == 'audio' for t in tracks.values())
                     == len({p for a, p in master.renditions
                             if p and a.get('TYPE') == 'AUDIO'}))


def check_iframes(rules, master, tracks, medias):
    """One I-frame playlist a video track, unless it is that already.

    How long the key frames of a sparse track are is not known.
    """
    wanted = sorted(t.name for t in tracks.values() if t.kind == 'video'
                    and not t.sparse and not all(s.sync for s in t.samples)
                    and all(g.samples[0].sync and g.samples[0].size
                            for g in t.segments))
    rules.equal('A6.1 EXT-X-I-FRAME-STREAM-INF of each video track',
                sorted(client.track_of(p) for _, p in master.iframes), wanted)
    for attributes, path in master.iframes:
        track = tracks[client.track_of(path)]
        playlist = master.iframe_media[path]
        check_iframe_variant(rules, attributes, track, playlist, master)
        check_iframe_playlist(rules, track, playlist, medias[track.name])


def check_iframe_variant(rules, attributes, track, playlist, master):
    name = track.name
    rules.expect('RFC8216bis 4.4.6.3 nothing of FRAME-RATE and of groups',
                 not {'FRAME-RATE', 'AUDIO', 'SUBTITLES', 'CLOSED-CAPTIONS'}
                 & set(attributes), attributes)
    variant = next(a for a, p in master.variants
                   if client.track_of(p) == name)
    for what, rule in (('RESOLUTION', 'A9.4'), ('VIDEO-RANGE', 'A6.16'),
                       ('SUPPLEMENTAL-CODECS', 'A9.3')):
        rules.equal('%s %s of I-frames is that of the variant'
                    % (rule, what), attributes.get(what), variant.get(what),
                    name)
    codecs = client.unquote(attributes.get('CODECS', '""'))
    rules.expect('A9.3 CODECS of I-frames is the one of the picture',
                 codecs and ',' not in codecs
                 and codec_strings.matches(codecs, track.header.entries[0]),
                 '%s: %s' % (name, codecs))
    sizes = [r[0] for r in playlist.ranges]
    times = [d for _, d in playlist.segments]
    target = int(playlist.value('EXT-X-TARGETDURATION'))
    for what, expected in (('BANDWIDTH', peak_of(sizes, times, target)),
                           ('AVERAGE-BANDWIDTH',
                            8 * sum(sizes) / sum(times))):
        told = int(attributes.get(what, '0'))
        rules.expect('A6.9 %s of I-frames' % what, 0 <= told - expected < 2
                     or abs(told - expected) <= Fraction(1, 2),
                     '%s: %d, expected %.1f' % (name, told, expected))


def check_iframe_playlist(rules, track, playlist, media):
    name, lines = track.name, playlist.lines
    target = playlist.value('EXT-X-TARGETDURATION')
    rules.equal('A6.8 EXT-X-I-FRAMES-ONLY, once', sum(
        t.name == 'EXT-X-I-FRAMES-ONLY' for t in playlist.tags), 1, name)
    rules.equal('RFC8216bis 8 EXT-X-VERSION of I-frames as of segments',
                playlist.value('EXT-X-VERSION'), '6', name)
    rules.equal('A8.6 EXT-X-PLAYLIST-TYPE:VOD of I-frames',
                playlist.value('EXT-X-PLAYLIST-TYPE'), 'VOD', name)
    rules.equal('RFC8216bis EXT-X-ENDLIST is the last line of I-frames',
                getattr(lines[-1], 'name', None), 'EXT-X-ENDLIST', name)
    rules.equal('RFC8216bis 4.4.4.5 EXT-X-MAP of I-frames is the header',
                playlist.map, media.map, name)
    rules.equal('RFC8216bis 6.2.4 I-frames are of the segments',
                [u for u, _ in playlist.segments],
                [u for u, _ in media.segments], name)
    longest = max(math.floor(d + Fraction(1, 2))
                  for _, d in playlist.segments)
    rules.equal('RFC8216bis A6.12 TARGETDURATION of I-frames', target,
                str(max(1, longest)), name)
    rules.expect('A8.3 I-frames last as long as the segments', abs(
        sum(d for _, d in playlist.segments)
        - sum(d for _, d in media.segments)) < Fraction(1, 1000000), name)
    at, end = Fraction(0), Fraction(track.starts()[-1])
    scale = track.header.timescale
    for n, segment in enumerate(track.segments):
        first = segment.samples[0]
        length, offset = playlist.ranges[n]
        rules.expect('A6.10 the range of an I-frame holds its moof',
                     offset == 0 and first.sync and length ==
                     len(segment.data) - sum(s.size
                                             for s in segment.samples[1:]),
                     '%s: %d@%d of segment %d' % (name, length, offset,
                                                  n + 1))
        at += playlist.segments[n][1]
        until = track.segments[n + 1].samples[0].pts \
            if n + 1 < len(track.segments) else end
        left = sum(d for _, d in playlist.segments) - at
        rules.expect('RFC8216bis 4.4.3.6 EXTINF runs to the next I-frame',
                     abs(left - (end - until) / scale)
                     <= Fraction(2, 1000000), '%s: entry %d' % (name, n + 1))


def check_dates(rules, tracks, medias, iframes):
    """Players that place segments by the playlist find tfdt there."""
    playlists = [(tracks[n], m) for n, m in medias.items()]
    playlists += [(tracks[n], m) for n, m in iframes.items()]
    dated = {any(d is not None for d in m.dates) for _, m in playlists}
    if not rules.equal('RFC8216bis 6.2.4 dates in all playlists or in none',
                       len(dated), 1):
        return
    dated = dated.pop()
    off, least = Fraction(0), Fraction(0)
    for track, media in playlists:
        date, at = None, Fraction(0)
        room = Fraction(track.room, track.header.timescale)
        for n, segment in enumerate(track.segments):
            if media.dates[n] is not None:
                date = Fraction(media.dates[n], 1000)
            real = Fraction(segment.decode_time, track.header.timescale)
            if dated and rules.expect(
                    'RFC8216bis 4.4.4.6 the first segment has a date',
                    date is not None, track.name):
                rules.expect('RFC8216bis 6.2.4 dates are those of tfdt',
                             abs(date - real) < room + Fraction(1, 1000),
                             '%s: segment %d is at %.6f, not %.6f'
                             % (track.name, n + 1, real, date))
                date += media.segments[n][1]
            if media is medias[track.name]:
                apart = abs(real - at - start_of(tracks))
                off, least = max(off, apart), max(least, apart - room)
            at += media.segments[n][1]
    differ = off if dated else least    # where it is known how much
    rules.equal('RFC8216bis dates where playlist and tfdt differ',
                dated, differ >= Fraction(999, 1000000), float(off))


def start_of(tracks):
    """Of the playlists' time: the earliest presentation, from 0 on."""
    return max(Fraction(0), min(Fraction(t.starts()[0], t.header.timescale)
                                for t in tracks.values()))


def check_groups(rules, master, tracks):
    groups = {}
    for attributes, path in master.renditions:
        get = attributes.get
        if get('TYPE') == 'SUBTITLES':
            continue
        where = client.unquote(get('NAME', '""'))
        rules.expect('A8.10 LANGUAGE on every EXT-X-MEDIA',
                     client.unquote(get('LANGUAGE', '""')), where)
        rules.expect('RFC8216bis 4.4.6.1 EXT-X-MEDIA has TYPE, GROUP-ID, NAME',
                     get('TYPE') == 'AUDIO' and get('GROUP-ID')
                     and get('NAME'), attributes)
        if get('DEFAULT') == 'YES':
            rules.equal('RFC8216bis 4.4.6.1 DEFAULT implies AUTOSELECT',
                        get('AUTOSELECT'), 'YES', where)
        traits = client.unquote(get('CHARACTERISTICS', '""'))
        if 'public.accessibility.describes-video' in traits.split(','):
            rules.equal('A2.13 description has AUTOSELECT=YES',
                        get('AUTOSELECT'), 'YES', where)
        rules.expect('RFC8216bis 4.4.6.1 no FORCED on audio',
                     'FORCED' not in attributes, where)
        entry = tracks[client.track_of(path)].header.entries[0]
        channels = client.unquote(get('CHANNELS', '""'))
        rules.expect('A9.17 CHANNELS is a count', channels.split('/')[0]
                     .isdigit() and int(channels.split('/')[0]) > 0,
                     '%s: %s' % (where, channels))
        if entry.kind in ('Opus', 'fLaC'):
            config = entry.children.get('dOps')
            count = (config.payload[1] if config is not None else
                     (entry.children['dfLa'].payload[20] >> 1 & 7) + 1)
            rules.equal('A9.17 CHANNELS is that of the track', channels,
                        str(count), where)
        groups.setdefault(client.unquote(get('GROUP-ID')), []).append(
            (attributes, client.track_of(path)))
    for name, members in groups.items():
        labels = [a['NAME'] for a, _ in members]
        rules.expect('RFC8216bis 4.4.6.1.1 NAMEs of a group differ',
                     len(set(labels)) == len(labels), labels)
        rules.expect('RFC8216bis 4.4.6.1.1 one DEFAULT in a group at most',
                     sum(a.get('DEFAULT') == 'YES' for a, _ in members) <= 1,
                     name)
    members = {tuple(sorted((a['NAME'], a['LANGUAGE'], a.get('DEFAULT', 'NO'),
                             a.get('AUTOSELECT', 'NO'),
                             a.get('CHARACTERISTICS', ''))
                            for a, _ in m)) for m in groups.values()}
    rules.expect('A9.17 groups differ in more than their name', len({
        tuple(t for _, t in m) for m in groups.values()}) == len(groups),
                 groups)
    rules.expect('RFC8216bis 4.4.6.2 groups have the same members',
                 len(members) <= 1, members)
    return groups


def check_variant(rules, attributes, track, groups, tracks, medias):
    get, name = attributes.get, track.name
    target = int(medias[name].value('EXT-X-TARGETDURATION'))
    entry = track.header.entries[0]
    group = groups.get(client.unquote(get('AUDIO', '""')), [])
    rules.expect('RFC8216bis 4.4.6.2 the AUDIO group exists',
                 'AUDIO' not in attributes or group, get('AUDIO'))
    listed = client.unquote(get('CODECS', '""')).split(',')
    wanted = [entry] + [tracks[t].header.entries[0] for _, t in group]
    rules.expect('A9.1 CODECS has every format of the combination',
                 all(any(codec_strings.matches(c, e) for c in listed)
                     for e in wanted)
                 and all(any(codec_strings.matches(c, e) for e in wanted)
                         for c in listed), '%s: %s, expected %s' % (
                             name, listed,
                             [codec_strings.of(e) for e in wanted]))
    peaks = [peak(tracks[t], medias[t], target) for _, t in group]
    averages = [average(tracks[t], medias[t]) for _, t in group]
    # Audio alone plays one member of its group, itself or another.
    alone = any(name == t for _, t in group)
    expected = max(peaks) if alone else (
        peak(track, medias[name], target) + max(peaks, default=0))
    told = int(get('BANDWIDTH', '0'))
    # What is estimated is not too small for any player; so is all text.
    estimated = track.sparse or 'SUBTITLES' in attributes \
        or any(tracks[t].sparse for _, t in group)
    rules.expect('A9.13 BANDWIDTH is the largest sum of the peaks',
                 0 <= told - expected and (estimated or told - expected < 2),
                 '%s: %d, expected %.1f' % (name, told, expected))
    expected = max(averages) if alone else (
        average(track, medias[name]) + max(averages, default=0))
    told = int(get('AVERAGE-BANDWIDTH', '0'))
    rules.expect('A1.26 A9.14 AVERAGE-BANDWIDTH is the average',
                 told >= expected if estimated
                 else abs(told - expected) <= max(2, expected / 1000),
                 '%s: %d, expected %.1f' % (name, told, expected))
    rules.equal('RFC8216bis 4.4.6.2 CLOSED-CAPTIONS=NONE',
                get('CLOSED-CAPTIONS'), 'NONE', name)
    if track.kind != 'video':
        return
    width, height = struct.unpack_from('>HH', entry.fixed, 24)
    resolution = get('RESOLUTION', '')
    rules.expect('A9.2 RESOLUTION', resolution.count('x') == 1
                 and all(p.isdigit() for p in resolution.split('x')),
                 resolution)
    if 'pasp' not in entry.children and 'clap' not in entry.children \
            and track.header.trak.one('tkhd').payload[-44:-8] == UNITY:
        rules.equal('A9.2 RESOLUTION is that of the track', resolution,
                    '%dx%d' % (width, height), name)
    rate = get('FRAME-RATE', '')
    rules.expect('A9.15 FRAME-RATE in three decimals',
                 len(rate.partition('.')[2]) == 3, rate)
    shown = sorted(s.pts for s in track.samples)
    gaps = {b - a for a, b in zip(shown, shown[1:])}
    if len(gaps) == 1 and 0 not in gaps:
        rules.expect('A9.15 FRAME-RATE is that of the track', rate and abs(
            Fraction(rate) - Fraction(track.header.timescale, gaps.pop()))
            <= Fraction(1, 1000), '%s: %s' % (name, rate))
    colour = entry.children.get('colr')
    if colour is None or colour.payload[:3] != b'ncl':
        return
    transfer = struct.unpack_from('>H', colour.payload, 6)[0]
    rules.expect('A9.16 VIDEO-RANGE is that of the transfer function',
                 get('VIDEO-RANGE', 'SDR') == {16: 'PQ', 18: 'HLG'}.get(
                     transfer, 'SDR'), '%s: %s, transfer %d'
                 % (name, get('VIDEO-RANGE'), transfer))
