# SPDX-License-Identifier: GPL-2.0-or-later
"""What the program contains packed (RFC 1951), in C: a struct packed_data (src/base/packed.h)."""
import zlib


def c_packed(name, data):
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9)
    packed = deflate.compress(data) + deflate.flush()
    lines = ''.join('\t' + ','.join(str(b) for b in packed[i:i + 32]) + ',\n' for i in range(0, len(packed), 32))
    return (f'static const u8 {name}_bytes[] = {{\n{lines}}};\n'
            f'const struct packed_data {name} = {{ {name}_bytes, sizeof {name}_bytes, {len(data)} }};\n')
