"""A client of its own for the tests: fetches, and reads playlists and MPDs.

The parsers are strict: what the grammar of RFC 8216bis or ISO/IEC 23009-1
does not allow raises ClientError with a sentence.
"""

import datetime
import http.client
import re
import urllib.parse
import xml.etree.ElementTree as ElementTree
from collections import namedtuple
from fractions import Fraction

MPD_NS = '{urn:mpeg:dash:schema:mpd:2011}'


class ClientError(Exception):
    pass


class Fetcher:
    """GET over one kept connection; every body is kept by its URL."""

    def __init__(self, base, mutate=None):
        parts = urllib.parse.urlsplit(base)
        self.host, self.port = parts.hostname, parts.port
        self.mutate = mutate
        self.connection = None
        self.bodies = {}
        self.headers = {}

    def get(self, path):
        if path not in self.bodies:
            body = self._get(path)
            if self.mutate:
                body = self.mutate(path, body)
            self.bodies[path] = body
        return self.bodies[path]

    def _get(self, path):
        for attempt in (0, 1):
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPConnection(
                        self.host, self.port, timeout=120)
                self.connection.request('GET', path)
                answer = self.connection.getresponse()
                body = answer.read()
                break
            except (http.client.RemoteDisconnected, BrokenPipeError,
                    ConnectionResetError):
                self.connection = None
                if attempt:
                    raise ClientError('%s: connection closed' % path)
            except http.client.IncompleteRead:
                raise ClientError('%s: body shorter than announced' % path)
        if answer.status != 200:
            raise ClientError('%s: status %d' % (path, answer.status))
        length = answer.getheader('Content-Length')
        if length is None or int(length) != len(body):
            raise ClientError('%s: Content-Length %s, %d bytes'
                              % (path, length, len(body)))
        self.headers[path] = {k.lower(): v for k, v in answer.getheaders()}
        return body


def join(path, reference):
    if '://' in reference or reference.startswith('/'):
        raise ClientError('%s refers to %s, which is not relative'
                          % (path, reference))
    return path[:path.rindex('/') + 1] + reference


# --- HLS

Tag = namedtuple('Tag', 'name value attributes')

ATTRIBUTE = re.compile(r'([A-Z0-9-]+)=("[^"\r\n]*"|[^",\s]+)(,|$)')


def attributes(text):
    found, at = {}, 0
    while at < len(text):
        match = ATTRIBUTE.match(text, at)
        if not match:
            raise ClientError('attribute list %r is wrong at %d' % (text, at))
        name, value, comma = match.groups()
        if name in found:
            raise ClientError('attribute %s is there twice in %r'
                              % (name, text))
        found[name] = value
        at = match.end()
        if comma and at == len(text):
            raise ClientError('attribute list %r ends in a comma' % text)
    return found


def unquote(value):
    if value is None:
        return None
    if not (value.startswith('"') and value.endswith('"')):
        raise ClientError('%s is not a quoted string' % value)
    return value[1:-1]


WITH_ATTRIBUTES = {
    'EXT-X-MEDIA', 'EXT-X-STREAM-INF', 'EXT-X-I-FRAME-STREAM-INF',
    'EXT-X-MAP', 'EXT-X-KEY', 'EXT-X-SESSION-DATA', 'EXT-X-DATERANGE',
    'EXT-X-START', 'EXT-X-DEFINE',
}


def playlist_lines(text):
    """Tags and URIs of a playlist in order."""
    if text.startswith(b'\xef\xbb\xbf'):
        raise ClientError('playlist starts with a byte order mark')
    text = text.decode('utf-8')
    if not text.endswith('\n'):
        raise ClientError('last line of the playlist is not ended')
    lines = text[:-1].replace('\r\n', '\n').split('\n')
    if lines[0] != '#EXTM3U':
        raise ClientError('first line is %r' % lines[0])
    found = []
    for line in lines:
        if line.startswith('#EXT'):
            name, colon, value = line[1:].partition(':')
            found.append(Tag(name, value if colon else None,
                             attributes(value) if name in WITH_ATTRIBUTES
                             else None))
        elif line and not line.startswith('#'):
            if line != line.strip():
                raise ClientError('blanks around %r' % line)
            found.append(line)
    return found


def milliseconds(path, text):
    """Since 1970."""
    try:
        when = datetime.datetime.strptime(text, '%Y-%m-%dT%H:%M:%S.%fZ')
    except ValueError:
        raise ClientError('%s: date %r' % (path, text))
    return round((when - datetime.datetime(1970, 1, 1))
                 / datetime.timedelta(milliseconds=1))


class Media:
    """A media playlist."""

    def __init__(self, path, text):
        self.path = path
        self.lines = playlist_lines(text)
        self.tags = [l for l in self.lines if isinstance(l, Tag)]
        self.map = None
        self.segments = []
        self.ranges = []        # of each segment (length, offset), or None
        self.dates = []         # of each segment (milliseconds), or None
        duration, span, date = None, None, None
        for line in self.lines:
            if isinstance(line, str):
                if duration is None:
                    raise ClientError('%s: no EXTINF before %s'
                                      % (path, line))
                self.segments.append((join(path, line), duration))
                self.ranges.append(span)
                self.dates.append(date)
                duration, span, date = None, None, None
            elif line.name == 'EXT-X-MAP':
                self.map = join(path, unquote(line.attributes.get('URI')))
            elif line.name == 'EXTINF':
                duration = Fraction(line.value.split(',')[0])
            elif line.name == 'EXT-X-PROGRAM-DATE-TIME':
                date = milliseconds(path, line.value)
            elif line.name == 'EXT-X-BYTERANGE':
                match = re.match(r'^(\d+)@(\d+)$', line.value)
                if not match:
                    raise ClientError('%s: byte range %r'
                                      % (path, line.value))
                span = int(match.group(1)), int(match.group(2))
        if not self.segments or not (self.map or self.is_text):
            raise ClientError('%s: no map or no segment' % path)

    @property
    def is_text(self):
        """Segments of WebVTT have no header."""
        return all(u.endswith('.vtt') for u, _ in self.segments)

    def value(self, name):
        values = [t.value for t in self.tags if t.name == name]
        if len(values) > 1:
            raise ClientError('%s: %d tags %s'
                              % (self.path, len(values), name))
        return values[0] if values else None

    def has(self, name):
        return any(t.name == name for t in self.tags)


class Master:
    """A multivariant playlist and, fetched, its media playlists by path."""

    def __init__(self, fetcher, path):
        self.path = path
        self.lines = playlist_lines(fetcher.get(path))
        self.tags = [l for l in self.lines if isinstance(l, Tag)]
        self.variants, self.renditions, self.iframes = [], [], []
        pending = None
        for line in self.lines:
            if isinstance(line, str):
                if pending is None:
                    raise ClientError('%s: URI %s without EXT-X-STREAM-INF'
                                      % (path, line))
                self.variants.append((pending, join(path, line)))
                pending = None
            elif pending is not None:
                raise ClientError('%s: EXT-X-STREAM-INF without a URI' % path)
            elif line.name == 'EXT-X-STREAM-INF':
                pending = line.attributes
            elif line.name == 'EXT-X-I-FRAME-STREAM-INF':
                self.iframes.append((
                    line.attributes,
                    join(path, unquote(line.attributes.get('URI')))))
            elif line.name == 'EXT-X-MEDIA':
                uri = line.attributes.get('URI')
                self.renditions.append((line.attributes,
                                        uri and join(path, unquote(uri))))
        paths = [p for _, p in self.variants]
        paths += [p for _, p in self.renditions if p]
        self.media = {}
        for media in paths:
            if media not in self.media:
                self.media[media] = Media(media, fetcher.get(media))
        self.iframe_media = {p: Media(p, fetcher.get(p))
                             for _, p in self.iframes}
        if not self.variants:
            raise ClientError('%s: no variant' % path)


# --- DASH

DURATION = re.compile(r'^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?'
                      r'(?:(\d+(?:\.\d+)?)S)?)?$')


def xs_duration(text):
    match = DURATION.match(text or '')
    if not match or text.endswith(('P', 'T')):
        raise ClientError('duration %r' % text)
    days, hours, minutes, seconds = (Fraction(g or 0) for g in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


Entry = namedtuple('Entry', 'number time duration url')


class Representation:
    def __init__(self, path, period, adaptation, element):
        self.adaptation, self.element = adaptation, element
        self.id = element.get('id')
        templates = [t for t in (element.find(MPD_NS + 'SegmentTemplate'),
                                 adaptation.find(MPD_NS + 'SegmentTemplate'))
                     if t is not None]
        if len(templates) != 1:
            raise ClientError('%d SegmentTemplate for representation %s'
                              % (len(templates), self.id))
        self.template = template = templates[0]
        self.timescale = int(template.get('timescale', '1'))
        self.offset = int(template.get('presentationTimeOffset', '0'))
        self.map = join(path, self._fill(template.get('initialization')))
        self.entries = []
        timeline = template.find(MPD_NS + 'SegmentTimeline')
        if timeline is None:
            raise ClientError('no SegmentTimeline')
        number, time = int(template.get('startNumber', '1')), None
        for s in timeline:
            if s.tag != MPD_NS + 'S':
                raise ClientError('%s in SegmentTimeline' % s.tag)
            if s.get('t') is not None:
                start = int(s.get('t'))
                if time is not None and start != time:
                    raise ClientError('representation %s: S@t %d where the '
                                      'previous S ends at %d'
                                      % (self.id, start, time))
                time = start
            elif time is None:
                time = 0
            duration, repeat = int(s.get('d')), int(s.get('r', '0'))
            if duration <= 0 or repeat < 0:
                raise ClientError('S d=%d r=%d' % (duration, repeat))
            for _ in range(repeat + 1):
                self.entries.append(Entry(
                    number, time, duration,
                    join(path, self._fill(template.get('media'), number,
                                          time))))
                number += 1
                time += duration

    def _fill(self, template, number=None, time=None):
        values = {'RepresentationID': self.id, 'Number': number, 'Time': time,
                  'Bandwidth': self.element.get('bandwidth')}

        def value(match):
            name, width = match.group(1), match.group(2)
            if not name:
                return '$'
            if values.get(name) is None:
                raise ClientError('$%s$ in %r' % (name, template))
            return (str(values[name]) if not width
                    else '%0*d' % (int(width), values[name]))

        return re.sub(r'\$(?:([A-Za-z]+)(?:%0(\d+)d)?)?\$', value, template)

    def get(self, name):
        """An attribute of the representation or else of its set."""
        own, common = self.element.get(name), self.adaptation.get(name)
        if own is not None and common is not None:
            raise ClientError('@%s on both levels' % name)
        return own if own is not None else common

    def find(self, name):
        found = self.element.findall(MPD_NS + name)
        return found or self.adaptation.findall(MPD_NS + name)


class Mpd:
    def __init__(self, fetcher, path):
        self.path = path
        self.text = fetcher.get(path)
        self.root = ElementTree.fromstring(self.text)
        if self.root.tag != MPD_NS + 'MPD':
            raise ClientError('root element %s' % self.root.tag)
        self.periods = self.root.findall(MPD_NS + 'Period')
        if len(self.periods) != 1:
            raise ClientError('%d periods' % len(self.periods))
        self.period = self.periods[0]
        self.sets = self.period.findall(MPD_NS + 'AdaptationSet')
        self.representations = [
            Representation(path, self.period, adaptation, element)
            for adaptation in self.sets
            for element in adaptation.findall(MPD_NS + 'Representation')]
        if not self.representations:
            raise ClientError('%s: no representation' % path)


def is_text(path):
    """Whether a URL is of a track of text."""
    return track_of(path).startswith('s')


def track_of(path):
    """The folder a header's URL is in: the name of the track."""
    return path.rsplit('/', 2)[1]
