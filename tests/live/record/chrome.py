# SPDX-License-Identifier: GPL-2.0-or-later
"""chrome.py JSON LINES: whether an exported file agrees with what sonde script prints of the recording."""
import collections
import json
import sys

items = json.load(open(sys.argv[1]))['traceEvents']
names = collections.Counter(line.split(': ')[1].strip() for line in open(sys.argv[2]))
calls = [i for i in items if i['ph'] == 'X' and i['cat'] == 'syscall']
print('slices of calls:', names['raw_syscalls:sys_exit'] - len(calls) in range(4))
instants = sum(i['ph'] == 'i' and i['cat'] != 'syscall' for i in items)
others = sum(n for name, n in names.items() if name != 'sched:sched_switch' and not name.startswith('raw_syscalls:'))
print('instants:', instants == others)
rows = collections.defaultdict(list)
for i in items:
    if i['ph'] == 'X':
        rows[i['pid'], i['tid']].append((i['ts'], i['dur']))
print('slices that overlap:', sum(b[0] < a[0] + a[1] - 0.0015 for row in rows.values() for a, b in zip(row, row[1:])))
