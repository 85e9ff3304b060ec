# SPDX-License-Identifier: GPL-2.0-or-later
"""Protocol buffers, of which the numbers of fields are known."""
import collections


def fields(data):
    """A message: number -> values; a value is a number or bytes."""
    found, at = collections.defaultdict(list), 0

    def varint():
        nonlocal at
        n = shift = 0
        while True:
            byte = data[at]
            at += 1
            n |= (byte & 127) << shift
            shift += 7
            if not byte & 128:
                return n

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            value = varint()
        elif tag & 7 == 2:
            n = varint()
            value, at = data[at:at + n], at + n
            assert len(value) == n, 'a message ends too early'
        else:
            raise SystemExit(f'wire type {tag & 7}')
        found[tag >> 3].append(value)
    return found
