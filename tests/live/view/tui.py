#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tui.py SONDE FILE: looks at a recording in a terminal as a person would, and compares with what other commands print of it."""
import os
import re
import subprocess
import sys

from terminal import Terminal


def check(name, right, why=''):
    print(f'{name}: {"right" if right else f"WRONG {why}"}')


def say(sonde, *words):
    return subprocess.run([sonde, *words], capture_output=True, text=True, check=False)


def make(file, n):
    """ftrace's text: switches and wake-ups on 4 processors of threads with hostile names."""
    names = ['bash', 'sh', '<b>x&"', 'a\x1b[31mb', 'tab\tname']
    with open(file, 'w', encoding='utf-8') as f:
        print('# tracer: nop', file=f)
        for i in range(n):
            a, b, x, y = names[i % 5], names[(i + 1) % 5], 1000 + i % 5, 1000 + (i + 1) % 5
            head = f'{a:>16}-{x:<5} [{i // 5 % 4:03d}] d... {100 + i / 1e5:.6f}: '
            print(head + (f'sched_waking: comm={b} pid={y} prio=120 target_cpu=001' if i % 2 else f'sched_switch: prev_comm={a} prev_pid={x} '
                          f'prev_prio={i % 140} prev_state=S ==> next_comm={b} next_pid={y} next_prio=120'), file=f)


def number(t):
    """How many events are shown."""
    return int(re.search(r'\d/(\d+)', t.lines()[0])[1])


def filters(sonde, t, file):
    t.until(r'1/2000\n')
    check('names cannot command the terminal', b'\x1b[31mb' not in t.sent and any('a\\x1b[31mb' in line for line in t.lines()))
    for predicate in ('prev_prio < 3 && comm == "bash"', 'pid == 1003', 'cpu == 3 || next_comm == "sh"', 'args.pid == 1001 && tid != 1000'):
        wanted = say(sonde, 'script', '--filter', predicate, file).stdout.count('\n')
        t.type('/', 'clear', predicate, 'enter')
        t.until(lambda predicate=predicate: predicate in t.lines()[0] and 'searching' not in t.lines()[0])
        check(predicate, number(t) == wanted, f'{number(t)} instead of {wanted}')
        times = [line.split(']')[1].split(':')[0].strip() for line in say(sonde, 'script', '--filter', predicate, file).stdout.splitlines()[:5]]
        shown = [line.split()[0] for line in t.lines()[7:7 + len(times)]]
        check('  the same events', shown == times, f'{shown} instead of {times}')
    for wrong, at, text in (('prev_prio < "a"', 0, 'mismatch'), ('pid == 1 && nothing', 12, "'nothing'"), ('comm == "sh" && && 1', 16, 'expected'),
                            ('next_prio == 1 && nothing > 2', 18, "'nothing'"), ('args.nothing == 1', 0, 'no event')):
        t.type('/', 'clear', wrong, 'enter')
        t.until(r'\^ ')
        check(f'caret: {wrong}', t.lines()[22].index('^') - len('filter: ') == at and text in t.lines()[22], t.lines()[22])
        t.type('esc')
        t.until(r'\? keys')
    t.type('/', 'clear', 'comm != "' + 'a' * 70 + '" && nothing')
    t.until(lambda: t.lines()[23].rstrip().endswith('aa" && nothing') and len(t.lines()[23].rstrip()) < 80)
    t.type('enter')
    t.until(r'\^ .*nothing')
    column = t.lines()[22].index('^')
    check('the end of a long text, and its error', t.lines()[23][column:].startswith('nothing') and "Unknown identifier: 'nothing'" in t.lines()[22], t.lines()[22:])
    t.type('esc')
    t.until(r'\? keys')
    t.type('/', 'clear', 'next_pr', 'tab', ' < 3', 'esc')
    t.until(r'\? keys')
    t.type('/', 'clear', 'next_pr', 'tab', ' < 300', 'enter')
    t.until(lambda: '/ next_prio < 300' in t.lines()[0] and number(t) == 1000)
    t.type('/', 'clear', 'prev_p', 'tab')
    t.until('prev_pid prev_prio')
    t.type('clear', 'enter')
    t.until('1/2000')


def looks(sonde, t, file):
    first = t.chosen()
    t.type('end')
    t.until('2000/2000')
    check('the last', t.chosen().split()[0] == '100.019990', t.chosen())
    t.type('up', 'pgup', 'home')
    t.until(lambda: t.chosen() == first)
    t.type('t', '100.010001', 'enter')
    t.until('1002/2000')
    t.type('right')
    t.until(lambda: 1002 < int(re.search(r'(\d+)/2000', t.lines()[0])[1]) < 1100)
    t.type('home', '[')
    t.until(r'20 ms +A')
    t.type('t', '100.010', 'enter', ']')
    t.until('B - A: 10 ms')
    t.type('r')
    t.until('Sums, between A and B')
    shown = [line.strip() for line in t.lines()[2:12] if line]
    wanted = [line[:79].rstrip() for line in say(sonde, 'report', '--time=100,100.010', file).stdout.replace('\x1b', '\\x1b').split('\n')]
    check('sums are those of sonde report', len(shown) > 5 and all(line in wanted for line in shown[:3]), f'{shown} {wanted}')
    t.type('q', 'c', 'home')
    t.until(r'1/2000')
    t.type('s', '-prev_prio', 'enter')
    t.until(lambda: 'sorted by prev_prio, descending' in '\n'.join(t.lines()) and t.chosen().split()[:1] == ['100.001380'])
    check('sorted', number(t) == 1000 and [line.split()[0] for line in t.lines() if 'sched_switch' in line][13:15] == ['100.019580', '100.001360'], t.lines())
    t.type('s', 'enter')
    t.until('1/2000')
    t.type('enter')
    t.until('prev_prio +0')
    check('fields', all(re.search(rf'\n  {name} +{value}\b', '\n'.join(t.lines())) for name, value in (
        ('comm', 'bash'), ('tid', 1000), ('cpu', 0), ('prev_pid', 1000), ('next_comm', 'sh'), ('next_prio', 120))), t.lines())
    while not t.chosen().startswith('  prev_prio'):
        seen = t.chosen()
        t.type('down')
        t.until(lambda seen=seen: t.chosen() != seen)
    t.type('=')
    t.until(r'/ args.prev_prio == 0')
    wanted = sum(i % 140 == 0 for i in range(0, 2000, 2))
    check('= adds to the filter', number(t) == wanted, f'{number(t)} {wanted}')
    t.type('/', 'clear', 'enter')
    t.until('1/2000')


def charts(t):
    t.type('h', 'prev_prio', 'enter')  # replaces what is offered
    t.until('1000 values')
    values = sorted(i % 140 for i in range(0, 2000, 2))
    found = [int(n) for n in re.search(r'least (-?\d+), p50 (\d+), p90 (\d+), p99 (\d+), largest (\d+)', '\n'.join(t.lines())).groups()]
    exact = [values[0], values[499], values[899], values[989], values[-1]]
    check('percentiles', found == exact, f'{found} {exact}')
    rows = dict(re.findall(r'\n(\[[^)\]]*[)\]]) +(\d+) ', '\n'.join(t.lines())))
    check('buckets', rows.get('[0]') == str(values.count(0)) and rows.get('[64, 128)') == str(sum(64 <= v < 128 for v in values)), rows)
    t.type('q', 'h', 'clear', 'comm', 'enter')
    t.until(r'sh +400  20% @@@')
    t.type('q', 'l', 'sched:sched_sw', 'tab', 'enter', 'sched:sched_wak', 'tab', 'enter', 'clear', 'next_pid,pid', 'enter')
    t.until('values: least|no event')
    check('times between two events', '998 values: least 50000, p50 50000' in '\n'.join(t.lines()), t.lines())
    t.type('q', '?')
    t.until('Keys')
    check('the list of keys', sum(bool(re.match('  [^ ].{20}', line)) for line in t.lines()) > 14, t.lines())
    t.type('q')


def sizes(sonde, t, file):
    for rows, columns in ((50, 200), (10, 40), (3, 20), (24, 80)):
        t.resize(rows, columns)
        t.until('too sm' if rows < 4 else r'(?s)1/2000.*(\? keys)')
    check('sizes', all(len(line) <= 80 for line in t.lines()))
    t.type('q')
    check('status', t.wait() == 0, t.status)
    check('the terminal is as before', t.sent.endswith(b'\x1b[?1049l') and b'\x1b[?25h' in t.sent)
    t = Terminal([sonde, 'tui', file], NO_COLOR='1', LC_ALL='C')
    t.until(r'1/2000')
    check('without color', not re.search(rb'\x1b\[3\dm', t.sent) and t.sent.isascii())
    t.type('\x03')
    t.wait()
    t = Terminal([sonde, 'tui', file], TERM='dumb')
    check('TERM=dumb', t.wait() == 1 and 'TERM is dumb' in '\n'.join(t.lines()), t.lines())


def others(sonde, stacks):
    """Of nothing, of one event, cut off, and with stacks."""
    make('none', 0)
    make('one', 1)
    for file, what in (('one', '1/1\n'), ('cut', r'1/\d+  .*ends')):
        if file == 'cut':
            with open(stacks, 'rb') as f, open('cut', 'wb') as to:
                to.write(f.read()[:os.path.getsize(stacks) - 100])
        t = Terminal([sonde, 'tui', file])
        t.until(what)
        t.type('end', 'enter')
        t.until('Esc back')
        t.type('q', '+', '-', 'right', 'left', 's', 'cpu', 'enter')
        t.until('sorted by cpu')
        t.type('h', 'clear', 'tid', 'enter')
        t.until(r'\d values: least')
        t.type('\x03')
        print(f'{file}: {t.wait()}')
    print('none:', say(sonde, 'report', 'none').returncode, Terminal([sonde, 'tui', 'none']).wait())
    t = Terminal([sonde, 'tui', stacks])
    t.until(r'1/\d+')
    t.type('/', 'sig == 18', 'enter')
    t.until(lambda: 'searching' not in t.lines()[0] and '/ sig' in t.lines()[0])
    t.type('enter')
    t.until('the innermost function first')
    t.type('end')
    t.until(r'\(.*libc')
    print('stacks: right')
    t.type('\x03')
    t.wait()


def main():
    sonde, stacks = sys.argv[1:]
    make('text', 2000)
    t = Terminal([sonde, 'tui', 'text'])
    filters(sonde, t, 'text')
    looks(sonde, t, 'text')
    charts(t)
    sizes(sonde, t, 'text')
    others(sonde, stacks)


if __name__ == '__main__':
    main()
