#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""top_live.py SONDE PID: looks at tests/live/stack/hot.c with sonde top as a person does."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../view'))
from terminal import Terminal


def check(name, right, why=''):
    print(f'{name}: {"right" if right else f"WRONG {why}"}')


def rows(t):
    """[(samples, text)]: of functions those in themselves."""
    found = [re.match(r' *(\d+) +[\d.]+ (?: *\d+ +[\d.]+)?  ?(\S.*)', line) for line in t.lines()[2:]]
    return [(int(m[1]), m[2].strip()) for m in found if m]


def callers(t, pid):
    t.type('enter')
    t.until(r'callers of spin \(hot\)\n')
    t.until(lambda: dict((text, n) for n, text in rows(t)).get('heavy (hot)', 0) > dict((text, n) for n, text in rows(t)).get('light (hot)', 9))
    check('callers by samples', [text for _, text in rows(t)][:2] == ['heavy (hot)', 'light (hot)'], rows(t))
    for path in ('heavy', 'turn', 'main'):
        t.type('enter')
        t.until(rf'callers of .*< {path} \(hot\)\n')
    for _ in range(8):
        before = t.lines()[1]
        if 'hot %d' % pid in rows(t)[0][1]:
            break
        t.type('right')
        t.until(lambda before=before: t.lines()[1] != before and rows(t))
    check('up to the process', rows(t)[0][1] == f'hot {pid}', rows(t))
    for _ in range(12):
        t.type('left')
    t.until('SELF')
    check('back, what was chosen is chosen', 'spin (hot)' in t.chosen(), t.chosen())


def main():
    sonde, pid = sys.argv[1], int(sys.argv[2])
    t = Terminal([sonde, 'top', '-i', '100ms', '-p', str(pid)])
    t.until(r'SELF.*\n *\d+ +\d+\.\d +\d+ +\d+\.\d  spin \(hot\)')
    t.type('home')
    callers(t, pid)
    t.type('s')
    t.until('by samples with callees')
    t.type('s')
    t.until(lambda: 'by name' in t.lines()[0] and [text for _, text in rows(t)] == sorted(text for _, text in rows(t)))
    t.type('s', 'p')
    t.until('by own samples +paused')
    t.type('p', 'a')
    t.until('since the last update  by own samples\n')
    t.type('a', '?')
    t.until('this list')
    check('the list of keys', sum(bool(re.match('  [^ ].{20}', line)) for line in t.lines()[2:-1]) >= 8, t.lines())
    t.type('x')
    t.until('SELF')
    for size in ((4, 50), (50, 120)):
        t.resize(*size)
        t.until(r'(?s)samples.*SELF.*spin')
    t.type('q')
    check('status', t.wait() == 0, t.status)
    check('the terminal is as before', t.sent.endswith(b'\x1b[?1049l') and b'\x1b[?25h' in t.sent, t.sent[-40:])


main()
