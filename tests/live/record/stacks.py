# SPDX-License-Identifier: GPL-2.0-or-later
"""stacks.py LINES: the stacks of a recording in its exits out.*, each compared with the frames that sonde script prints (LINES: of
-F ip,sym for the same events)."""
import json
import re
import subprocess
import sys

from protobuf import fields


def frames_of(text):
    """Of each event (address, name), the innermost first."""
    events = []
    for line in text.splitlines():
        if line.startswith('\t'):
            ip, name = line.split(None, 1)
            events[-1].append((int(ip, 16), name))
        elif line == '' and (not events or events[-1]):
            events.append([])
    return events[:-1] if events and not events[-1] else events


def told(what, got, wanted):
    same = got == wanted
    print(what, f'{len(got)} stacks' if same else 'differs')
    if not same:
        for a, b in zip(got, wanted):
            if a != b:
                print(a, b, sep='\n')
                break


def named(name, module=None):
    """Frames without function have other names in each exit."""
    return name if name and not name.startswith(('[', '0x')) else None


def from_json():
    for line in open('out.json'):
        data = json.loads(line)['data']
        if 'event' in data:
            yield [named(f.get('symbol')) for side in ('kstack', 'ustack') for f in data.get(side, []) if 'ip' in f]


def from_chrome():
    trace = json.load(open('out.chrome'))
    tree = trace['stackFrames']
    for e in trace['traceEvents']:
        for at in [str(e[k]) for k in ('sf', 'esf') if k in e]:
            names = []
            while at:
                frame = tree[at]
                names.append((named(frame['name']), frame['name']))
                at = frame.get('parent')
            yield [n for n, raw in names if n or not raw.startswith('[') or '.' in raw or raw == '[p]']


def from_perfetto():
    names, stacks = {}, {}
    for packet in fields(open('out.perfetto', 'rb').read())[1]:
        p = fields(packet)
        if 66 not in p:
            continue
        assert p[13][0] & 2, 'the sample does not say that it needs what is interned'
        for data in map(fields, p[12]):
            strings = {s[1][0]: s[2][0].decode() for s in map(fields, data[5])}
            paths = {m[1][0] for m in map(fields, data[19])}
            assert paths == {s[1][0] for s in map(fields, data[17])}
            for f in map(fields, data[6]):
                names[f[1][0]] = strings[f[2][0]]
            for c in map(fields, data[7]):
                stacks[c[1][0]] = [names[i] for i in reversed(c[2])]
        sample = fields(p[66][0])
        yield [named(n) for n in stacks[sample[4][0]] if ' ' not in n]


def from_ctf():
    text = subprocess.run(['babeltrace2', 'out.ctf'], capture_output=True, text=True).stdout
    for line in text.splitlines():
        if 'callstack' in line and 'statedump' not in line:
            yield [int(a, 16) for part in re.findall(r'callstack_\w+ = \[(.*?) \]', line) for a in re.findall('0x[0-9A-F]+', part)]


def from_trace_dat():
    """Of the kernel, as trace-cmd prints them."""
    text = subprocess.run(['trace-cmd', 'report', '-i', 'out.dat'], capture_output=True, text=True).stdout
    for part in text.split('<stack trace >')[1:]:
        yield [(int(ip, 16), name) for name, ip in re.findall(r'^=> (\S+) \(([0-9a-f]+)\)$', part, re.M)]


events = frames_of(open(sys.argv[1]).read())
names = [[named(name) for ip, name in e] for e in events]
told('json', list(from_json()), names)
told('perfetto', list(from_perfetto()), names)
told('chrome', [[n for n in e if n] for e in from_chrome()], [[n for n in e if n] for e in names])
kernel = [[(ip, name) for ip, name in e if ip >> 63] for e in events]
told('trace.dat', list(from_trace_dat()), [k for k in kernel if k])
ctf = [[a for a in e if a >> 63] for e in from_ctf()]
told('ctf', ctf, [[ip for ip, name in k] for k in kernel])
