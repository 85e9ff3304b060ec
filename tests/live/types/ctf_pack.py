#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ctf_pack.py FILE compressed|archive: rewrites a CTF dictionary as linkers write large and ambiguous ones."""
import struct
import sys
import zlib

path, how = sys.argv[1:]
data = open(path, 'rb').read()
if how == 'compressed':
    data = data[:3] + bytes([data[3] | 1]) + data[4:52] + zlib.compress(data[52:])
else: # magic, model, dictionaries, names, where they are; name and place of each; names; length and bytes of each
    names = b'.ctf\0other.c\0'
    head = struct.pack('<5Q4Q', 0x8b47f2a4d7623eeb, 1, 2, 72, 72 + len(names), 5, 8 + len(data), 0, 0)
    data = head + names + struct.pack('<Q', len(data)) + data + struct.pack('<Q', len(data)) + data
open(path, 'wb').write(data)
