# SPDX-License-Identifier: GPL-2.0-or-later
"""trace-cmd.py REPORT LINES: whether `trace-cmd report -t` prints the events of what sonde script prints."""
import re
import sys

lines = []
for line in open(sys.argv[2]):
    head, event, rest = line.rstrip('\n').split(': ', 2)
    comm, tid, cpu, time = re.fullmatch(r' *(.*?) +(\d+) \[(\d+)\] +(\d+\.\d{6})', head).groups()
    lines.append((tid, int(cpu), time, event.strip().split(':')[1]))
report = []
for line in open(sys.argv[1]):
    m = re.match(r' *(.*)-(\d+) +\[(\d+)\] +(\d+\.\d{6})\d{3}: (\w+):', line)
    if m:
        report.append((m.group(2), int(m.group(3)), m.group(4), m.group(5)))
    elif not line.startswith(('cpus=', 'CPU:', 'version', 'CPU ')):
        print('not understood:', line, end='')
print('events:', len(report) == len(lines), 'equal:', sorted(report) == sorted(lines))
