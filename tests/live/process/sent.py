# sent.py COUNTS OUT: checks what sent.in says.
import re
import struct
import sys

counts = struct.unpack('1024I', open(sys.argv[1], 'rb').read())
seen, maps = {}, {}
for line in open(sys.argv[2]):
    if m := re.fullmatch(r'(\d+) (\d+)\n', line):
        seen.setdefault(int(m[1]), []).append(int(m[2]))
    elif m := re.fullmatch(r'@\[(\d+)\]: (\d+)\n', line):
        maps[int(m[1])] = int(m[2])
for who, n in enumerate(counts):
    got = seen.get(who, [])
    if got != list(range(len(got))):
        print(f'thread {who}: not in order, or some are missing')
    if not n <= len(got) <= n + 1:
        print(f'thread {who}: {len(got)} records of {n} calls')
    if not len(got) <= maps.get(who, 0) + 1 <= len(got) + 2:
        print(f'thread {who}: {len(got)} records, map {maps.get(who)}')
print(sum(n == 700 for n in counts[:99]) >= 20, sum(counts[99:]) > 0)
