"""Messages of Protocol Buffers as lists of fields (number, wire type, value)."""


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def parse(data):
    fields, at = [], 0
    while at < len(data):
        key, at = varint(data, at)
        start = at
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            start, at = at, at + size
            value = data[start:at]
        else:
            at += 8 if key & 7 == 1 else 4
            value = data[start:at]
        fields.append((key >> 3, key & 7, value))
    return fields


def put(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def write(fields):
    return b"".join(put(number << 3 | kind) + (put(value) if kind == 0 else
                                               put(len(value)) + value if kind == 2 else value)
                    for number, kind, value in fields)
