"""Codec strings (RFC 6381) from a sample entry, for the tests alone."""

import struct


def of(entry):
    """The codecs value of a sample entry, or the set of those allowed."""
    return {'avc1': _avc, 'avc3': _avc, 'hvc1': _hevc, 'hev1': _hevc,
            'dvh1': _dolby, 'av01': _av1, 'vp09': _vp9, 'vp08': _vp9,
            'mp4a': _mp4a, 'mp4v': _mp4v, 'Opus': _plain, 'fLaC': _plain,
            'ac-3': _plain, 'ec-3': _plain, 'alac': _plain, 'dtsc': _plain,
            'dtse': _plain, 'dtsh': _plain,
            'dtsl': _plain}[entry.kind](entry)


def _plain(entry):
    return {entry.kind}


def _avc(entry):
    config = entry.children['avcC'].payload
    return {'%s.%02X%02X%02X' % (entry.kind, *config[1:4]),
            '%s.%02x%02x%02x' % (entry.kind, *config[1:4])}


def _hevc(entry):
    config = entry.children['hvcC'].payload
    space = ['', 'A', 'B', 'C'][config[1] >> 6]
    tier = 'H' if config[1] & 0x20 else 'L'
    compatible = struct.unpack_from('>I', config, 2)[0]
    compatible = int('{:032b}'.format(compatible)[::-1], 2)
    constraints = config[6:12].rstrip(b'\0')
    parts = [entry.kind, '%s%d' % (space, config[1] & 31),
             '%X' % compatible, '%s%d' % (tier, config[12])]
    return {'.'.join(parts + ['%X' % b for b in constraints]),
            '.'.join(parts + ['%02X' % b for b in constraints])}


def _colour(entry):
    colr = entry.children.get('colr')
    if colr is None or colr.payload[:4] != b'nclx':
        return None
    primaries, transfer, matrix = struct.unpack_from('>HHH', colr.payload, 4)
    return primaries, transfer, matrix, colr.payload[10] >> 7


def _dolby(entry):
    config = (entry.children.get('dvcC') or entry.children['dvvC']).payload
    return {'%s.%02d.%02d' % (entry.kind, config[2] >> 1,
                              (config[2] & 1) << 5 | config[3] >> 3)}


def _av1(entry):
    config = entry.children['av1C'].payload
    profile, level = config[1] >> 5, config[1] & 31
    tier = 'H' if config[2] & 0x80 else 'M'
    depth = 8
    if config[2] & 0x40:
        depth = 12 if profile == 2 and config[2] & 0x20 else 10
    short = 'av01.%d.%02d%s.%02d' % (profile, level, tier, depth)
    sampling = '%d%d%d' % (
        bool(config[2] & 8), bool(config[2] & 4),
        config[2] & 3 if config[2] & 12 == 12 else 0)
    colour = _colour(entry)
    allowed = {short} if colour in (None, (1, 1, 1, 0), (2, 2, 2, 0)) \
        else set()
    # Without a colr the values of the sequence header count, which is not
    # read here: any long form of the right start is allowed.
    if colour:
        allowed.add('%s.%d.%s.%02d.%02d.%02d.%d' % (
            short, bool(config[2] & 0x10), sampling, *colour))
    else:
        allowed.add(short + '.*')
    return allowed


def _vp9(entry):
    config = entry.children['vpcC'].payload[4:]
    profile, level, packed, primaries, transfer, matrix = config[:6]
    short = '%s.%02d.%02d.%02d' % (entry.kind, profile, level, packed >> 4)
    full = short + '.%02d.%02d.%02d.%02d.%02d' % (
        packed >> 1 & 7, primaries, transfer, matrix, packed & 1)
    return {short, full}


def descriptors(esds):
    """Object type, ES_ID and the decoder configuration of an esds."""
    data, at = esds.payload, 4

    def length(at):
        size = 0
        while True:
            byte = data[at]
            at += 1
            size = size << 7 | byte & 127
            if not byte & 128:
                return size, at

    if data[at] != 3:
        raise ValueError('esds starts with tag %d' % data[at])
    _, at = length(at + 1)
    es_id, flags = struct.unpack_from('>HB', data, at)
    at += 3
    at += 2 if flags & 0x80 else 0
    at += 1 + data[at] if flags & 0x40 else 0
    at += 2 if flags & 0x20 else 0
    _, at = length(at + 1)
    object_type = data[at]
    at += 13
    config = b''
    if at < len(data) and data[at] == 5:
        size, at = length(at + 1)
        config = data[at:at + size]
    return object_type, es_id, config


def _mp4v(entry):
    object_type, _, config = descriptors(entry.children['esds'])
    at = config.find(b'\0\0\1\xb0')
    return {'mp4v.%02X.%d' % (object_type, config[at + 4]),
            'mp4v.%02x.%d' % (object_type, config[at + 4])}


def audio_object_type(config):
    """AudioSpecificConfig: object type, the explicit SBR or PS one first."""
    bits = ''.join('{:08b}'.format(b) for b in config) + '0' * 32

    def kind(at):
        value = int(bits[at:at + 5], 2)
        return ((32 + int(bits[at + 5:at + 11], 2), at + 11)
                if value == 31 else (value, at + 5))

    first, _ = kind(0)
    return first


def _mp4a(entry):
    object_type, _, config = descriptors(entry.children['esds'])
    if object_type in (0x69, 0x6b):
        return {'mp4a.40.34', 'mp4a.%02X' % object_type,
                'mp4a.%02x' % object_type}
    kind = audio_object_type(config)
    allowed = {'mp4a.40.%d' % kind}
    # Implicit signalling by the backward compatible extension (0x2b7, 0x548)
    # has to be made explicit.
    if kind == 2 and len(config) > 4:
        bits = ''.join('{:08b}'.format(b) for b in config)
        at = bits.find('01010110111' + '00101')
        if at >= 0 and bits[at + 16:at + 17] == '1':
            allowed = {'mp4a.40.5'}
            if '10101001000' + '1' in bits[at + 17:]:
                allowed = {'mp4a.40.29'}
    return allowed


def matches(text, entry):
    return any(text == a or a.endswith('.*') and text.startswith(a[:-1])
               for a in of(entry))
