#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""flame.py SONDE FILE: flame graphs in a terminal of 80x24 without color, beside the folded lines of the same range."""
import re
import sys

from terminal import Terminal
from tui import check, make, say

WAITS = 'sched:sched_switch'


def folded(sonde, file, time_range=None):
    """Counts of each prefix of a stack, as of frames of the graph."""
    say(sonde, 'export', '--to', 'folded', *([f'--time={time_range}'] if time_range else []), '-o', 'out.folded', file)
    totals = {}
    with open('out.folded', encoding='utf-8') as f:
        for line in f:
            stack, n = line.rstrip('\n').rsplit(' ', 1)
            parts = stack.split(';')
            for i in range(len(parts) + 1):
                totals[tuple(parts[:i])] = totals.get(tuple(parts[:i]), 0) + int(n)
    return totals


def rows(t):
    return t.lines()[2:22]


def chosen(t):
    """What the line below says of it: name, number, share, of them in it."""
    return re.match(r'(.*): (\d+) (.*), ([\d.]+)%, (\d+) of', t.lines()[22])


def press(t, key):
    """A key that may change nothing."""
    t.type(key)
    while t.read(.2):
        pass


def shown(t, key, until):
    t.type(key)
    t.until(until)


def on_cpu(sonde, t, file):
    totals = folded(sonde, file)
    shown(t, 'f', 'Flame graph: ')
    events = [k for k in totals if len(k) == 2]
    samples = sum(totals[k] for k in events if re.search('clock|cycles', k[1]))
    check('all samples', int(chosen(t)[2]) == samples > 0 and 'samples' in t.lines()[1], f'{t.lines()[1]} {samples}')
    path = ()
    for _ in range(40):  # the widest that each calls
        before = t.lines(), [list(row) for row in t.styles]
        press(t, 'down')
        if (t.lines(), t.styles) == before:
            break
        path += (chosen(t)[1],)
        wanted = totals.get(path)
        if int(chosen(t)[2]) != wanted or abs(float(chosen(t)[4]) - 100 * wanted / samples) > .01:
            check(f'{path}', False, f'{t.lines()[22]} {wanted}')
    kids = {k[:len(path)]: n for k, n in totals.items() if k[:-1] == path[:-1] and len(k) == len(path)}
    check('a stack from all to the innermost function', len(path) > 3 and max(kids.values()) == totals[path], f'{path} {kids}')
    t.type('up', 'enter')
    t.until(lambda: any(line.startswith('|' + path[-2][:60]) for line in rows(t)))
    check('enlarged', sum(line.startswith('|') and '|' not in line[1:] for line in rows(t)) >= min(len(path) - 1, 19), rows(t))
    press(t, 'esc')
    check('all again', chosen(t)[1] == path[-2] and any(line.count('|') > 1 for line in rows(t)), rows(t))
    t.type(*['up'] * len(path))
    t.until(lambda: chosen(t)[1] == 'all')
    t.type('?')
    t.until('Keys')
    t.type('down')
    t.until('flame graph of the range')
    check('the list of keys', 'off the CPU' in '\n'.join(t.lines()))
    t.type('q')
    t.until('Flame graph: ')


def shape(t):
    """Each row begins where the frame above it does, and is no wider."""
    ends = [[m.start() for m in re.finditer(r'\|', line)] for line in rows(t)]
    wrong = [line for line, starts in zip(rows(t), ends) if line.strip() and (len(line) > 80 or not starts)]
    check('rows', not wrong and ends[0] == [0], wrong)


def off_cpu(t):
    """The recording "text": 4 processors, thread i % 5 leaves at i * 10 us, and comes when the one before it leaves."""
    t.until('1/2000')
    shown(t, 'o', 'Flame graph: ')
    waits, left = 0, {}
    for i in range(0, 2000, 2):
        here, following = 1000 + i % 5, 1000 + (i + 1) % 5
        if following in left:
            waits += i - left.pop(following)
        left[here] = i
    check('time off the CPU', int(chosen(t)[2]) == waits * 10 and 'us off the CPU' in t.lines()[1], f'{t.lines()[1]} {waits * 10}')
    t.type('down')
    t.until(lambda: chosen(t)[1] != 'all')
    names = {chosen(t)[1]}
    for _ in range(4):
        press(t, 'right')
        names.add(chosen(t)[1])
    check('names cannot command the terminal', names == {'bash', 'sh', '<b>x&"', 'a\\x1b[31mb', 'tab name'}, names)
    shape(t)
    shown(t, 'f', r'2000 events')
    t.type('esc')
    t.until('1/2000')
    t.type('home', '[', 't', '100.010', 'enter', ']')
    t.until('B - A: 10 ms')
    shown(t, 'f', r'Flame graph: 1001 events, 10 ms from 100.000000 s')
    t.type('q', 'c', '+')
    t.until('9.99 ms')
    t.type('f')
    t.until('Flame graph: (9|10)\\d\\d events')
    check('between the markers, what the picture shows', True)
    t.resize(5, 20)
    t.until('Flame graph')
    t.type('down', 'down', 'down')
    t.until(lambda: re.match('[a-z<]', t.lines()[3]))
    check('a window of 20x5', all(len(line) <= 20 for line in t.lines()) and t.lines()[2].startswith('|'), t.lines())


def main():
    sonde, samples = sys.argv[1:]
    make('text', 2000)
    make('none', 0)
    t = Terminal([sonde, 'tui', samples], NO_COLOR='1', LC_ALL='C')
    t.until(r'1/\d+')
    on_cpu(sonde, t, samples)
    shape(t)
    check('without color', not re.search(rb'\x1b\[3\dm', t.sent) and t.sent.isascii())
    t.type('o')
    t.until('no wait begins and ends here')
    print('no switches: right')
    t.type('\x03')
    check('status', t.wait() == 0, t.status)
    t = Terminal([sonde, 'tui', 'text'])
    off_cpu(t)
    t.type('q', 'q')
    t.wait()
    t = Terminal([sonde, 'tui', 'none'])
    print('none:', t.wait())


main()
