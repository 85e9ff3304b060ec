# SPDX-License-Identifier: GPL-2.0-or-later
"""A block of LZ4 (lz4_Block_format.md) for what is embedded in the program, packed better than src/store/lz4.c does at run time."""

LAST_LITERALS, LAST_MATCH, LEAST = 5, 12, 4  # of the format: where matches end and begin at the latest; a match has 4 bytes
FARTHEST, TRIES = 65535, 64  # a distance has two bytes; earlier positions compared


class Packer:
    def __init__(self, data):
        self.data, self.out, self.at = data, bytearray(), {}  # at: four bytes -> their positions so far

    def put_length(self, n):
        """What a token has no room for."""
        while n >= 255:
            self.out.append(255)
            n -= 255
        self.out.append(n)

    def put(self, literals, distance=0, length=LEAST):
        more = length - LEAST
        self.out.append(min(len(literals), 15) << 4 | min(more, 15))
        if len(literals) >= 15:
            self.put_length(len(literals) - 15)
        self.out += literals
        if distance:
            self.out += distance.to_bytes(2, 'little')
            if more >= 15:
                self.put_length(more - 15)

    def note(self, i):
        self.at.setdefault(self.data[i:i + LEAST], []).append(i)

    def longest(self, i):
        """The longest match for what follows i: length, distance."""
        data, end, best = self.data, len(self.data) - LAST_LITERALS, (0, 0)
        for earlier in reversed(self.at.get(data[i:i + LEAST], ())[-TRIES:]):
            if i - earlier > FARTHEST:
                break
            n = LEAST
            while i + n < end and data[earlier + n] == data[i + n]:
                n += 1
            best = max(best, (n, earlier - i))
        return best[0], -best[1]

    def pack(self):
        i = begin = 0
        while i < len(self.data) - LAST_MATCH:
            length, distance = self.longest(i)
            self.note(i)
            if not length or self.longest(i + 1)[0] > length + 1:  # a longer one begins at the next byte
                i += 1
                continue
            self.put(self.data[begin:i], distance, length)
            for k in range(i + 1, i + length):
                self.note(k)
            i = begin = i + length
        self.put(self.data[begin:])
        return self.out


def c_bytes(name, packed):
    """As an array in C."""
    lines = ''.join('\t' + ','.join(str(b) for b in packed[i:i + 32]) + ',\n' for i in range(0, len(packed), 32))
    return f'const u8 {name}[] = {{\n{lines}}};\n'
