#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""filter.py SONDE: filters events and counts values in the page, served and from a file, as a person would; compares with what other
commands print of the same recording."""
import collections
import functools
import json
import os
import re
import subprocess
import sys

from tui import make
from tui import say as run
from page import View, check

say = functools.lru_cache(run)

PREDICATES = ('prev_prio < 3 && comm == "bash"', 'pid == 1003', 'cpu == 3 || next_comm == "sh"', '(args.pid == 1001) && tid != 1000',
              'prev_comm == "<b>x&\\""', 'prev_prio & 4 && !(prev_prio > 0x10)', 'nsecs < 100000100000', 'prev_prio == -1')
WRONG = (('prev_prio < "a"', 'mismatch'), ('pid == 1 && nothing', "'nothing'"), ('comm == "sh" && && 1', 'expected'), ('args.nothing == 1', 'no event'))
SHOWN = "[...document.querySelectorAll('#panel tr[data-i]')].map(r => [...r.cells].map(c => c.textContent))"


def enter(b, text):
    b.run("(document.activeElement.blur(), document.getElementById('lanes').focus())")
    b.keys('e')
    b.clear("//*[@id='filter']")
    b.type("//*[@id='filter']", text + '\ue007')
    b.until(f'sondeView.filter.text === {json.dumps(text.strip())} && sondeView.filter.isDone')


def ink(b, rgb, share):
    """Whether the overview has that color at that share of the time."""
    return b.run(f"""(() => {{
        const c = document.getElementById('overview'), d = c.getContext('2d').getImageData(Math.floor({share} * c.width), 0, 3, c.height).data;
        for (let i = 0; i < d.length; i += 4)
            if (Math.abs(d[i] - {rgb[0]}) + Math.abs(d[i + 1] - {rgb[1]}) + Math.abs(d[i + 2] - {rgb[2]}) < 130 && d[i + 3] > 100)
                return true;
        return false;
    }})()""")


def overview(b, times):
    """Where in the whole recording the events are that match; the recording has an event each 10 us from 100 s on."""
    us = [round((float(t) - 100) * 1e6) for t in times]
    wanted = collections.Counter(min(1023, t * 1024 // 19990) for t in us)
    found = b.run('sondeView.picture.matches')
    shown = dict(zip(found[::2], found[1::2]))
    check('  in the overview', sum(shown.values()) == len(us) and all(abs(n - shown.get(k, 0)) <= 1 for k, n in wanted.items()), f'{shown} {wanted}')
    b.until('sondeView.picture.frame === 0')
    orange = (227, 154, 24)
    beside = next((k for k in range(1024) if not any(k + d in shown for d in range(-4, 5))), None)
    check('  drawn', (not found or ink(b, orange, found[0] / 1024)) and (beside is None or not ink(b, orange, beside / 1024)), f'{found[:2]} {beside}')


def lanes(b):
    """The search for lanes: its number, where in the recording they have something, the next one."""
    b.run("(document.activeElement.blur(), document.getElementById('lanes').focus())")
    b.keys('/')
    b.type("//*[@id='search']", '100')
    wanted = [x for x in b.run('sondeView.picture.rows.map(r => r.label)') if '100' in x]
    check('typed into the search', b.run("document.getElementById('found').textContent") == f'{len(wanted)} lanes' and len(wanted) > 3, wanted)
    b.until('sondeView.picture.frame === 0')
    check('  in the overview', ink(b, (122, 77, 216), .5))
    b.type("//*[@id='search']", '3\ue007')
    check('  Enter selects', b.state('picked') == 'task1003', b.state('picked'))
    b.clear("//*[@id='search']")
    b.run("sondeView.view.set({ find: '', picked: '', at: null })")


def predicates(b, sonde):
    b.click("//button[.='Events']")
    for predicate in PREDICATES:
        lines = say(sonde, 'script', '--filter', predicate, 'x').stdout.splitlines()
        enter(b, predicate)
        b.until("document.querySelector('.events').ariaLabel.endsWith(` of ${sondeView.filter.events}`)")
        said = b.run("document.getElementById('matches').textContent")
        check(predicate, said == f'{len(lines)} of 2000 events', f'{said} instead of {len(lines)}')
        wanted = [line.split(']')[1].split(':')[0].strip() for line in lines[:5]]
        b.until(f"{SHOWN}.length >= {len(wanted)}")
        shown = [row[0][:10] for row in b.run(SHOWN)[:5]]
        check('  the same events', shown == wanted, f'{shown} instead of {wanted}')
        overview(b, [line.split(']')[1].split(':')[0] for line in lines])
    for wrong, text in WRONG:
        enter(b, wrong)
        b.until("document.getElementById('wrong').textContent")
        line, caret = b.run("document.getElementById('wrong').textContent").split('\n')
        check(f'wrong: {wrong}', line == wrong and text in caret, caret)
        if "'nothing'" in text:
            check('  the caret', caret.index('^') == wrong.index('nothing'), caret)
    check('  all events are shown then', b.run('sondeView.filter.events') == 2000)


def steps(b):
    """Next and previous matches; completion; the address."""
    enter(b, 'prev_prio == 8')
    b.run("document.getElementById('lanes').focus()")
    at = []
    for key in 'mmpm':
        before = b.state('at')
        b.keys(key)
        b.until(f"sondeView.view.is.at !== {'null' if before is None else before}")
        at.append(b.state('at'))
    check('m and p step through the matches', at[0] == at[2] < at[1] == at[3] and not at[3] % 10000, at)
    b.clear("//*[@id='filter']")
    b.type("//*[@id='filter']", 'prev_prio == 8 && next_pr')
    b.until("document.getElementById('words').options.length")
    check('completion', b.run("[...document.getElementById('words').options].map(o => o.value)") == ['prev_prio == 8 && next_prio'])
    b.type("//*[@id='filter']", 'io == 120\ue007')
    b.until("sondeView.filter.isDone && location.hash.includes('next_prio')")
    b.show(b.run('location.href'))
    b.until("sondeView.filter.text && sondeView.filter.isDone")
    check('the address has the filter', b.run('sondeView.filter.text') == 'prev_prio == 8 && next_prio == 120')


def count(b, **inputs):
    b.run("document.querySelectorAll('#panel input').forEach(e => e.value = '')")
    for name, text in inputs.items():
        b.type(f"//input[@name='{name}']", text)
    b.click("//button[.='count']")
    what = inputs.get('expr') or f"from {inputs['first']}"
    b.until(f"(document.querySelector('#panel caption')?.textContent || '').startsWith('{what}')")
    return b.run("document.querySelector('#panel .counted').textContent"), dict(
        b.run("[...document.querySelectorAll('#panel tr')].map(r => [r.cells[0].textContent, Number(r.cells[1].textContent)])"))


def hist(sonde, script):
    """Buckets of a hist() that the language prints of the recording."""
    return {k: int(n) for k, n in re.findall(r'^(\[.*?[)\]])\s+(\d+) \|', say(sonde, 'run', '--from', 'x', '-e', script).stdout, re.M)}


def values(b, sonde):
    enter(b, ' ')
    b.click("//button[.='Values']")
    b.until("document.querySelector('#panel input')")
    said, rows = count(b, expr='prev_prio')
    all_of = sorted(i % 140 for i in range(0, 2000, 2))
    exact = f'1000 values: least {all_of[0]}, p50 {all_of[499]}, p90 {all_of[899]}, p99 {all_of[989]}, largest {all_of[-1]}'
    check('percentiles', said == exact, f'{said} {exact}')
    wanted = hist(sonde, 'tracepoint:sched:sched_switch { @ = hist(args.prev_prio); }')
    check('buckets are those of hist()', rows == {k: n for k, n in wanted.items() if n} and len(rows) > 5, f'{rows} {wanted}')
    said, rows = count(b, expr='comm')
    check('texts', said == '2000 values' and rows['<b>x&"'] == 400, f'{said} {rows}')
    said, rows = count(b, first='sched:sched_waking', second='sched:sched_switch', key='pid,next_pid')
    wanted = hist(sonde, '''tracepoint:sched:sched_switch { if (@s[args.next_pid]) { @ = hist(nsecs - @s[args.next_pid]); delete(@s[args.next_pid]); } }
        tracepoint:sched:sched_waking { @s[args.pid] = nsecs; } end { clear(@s); }''')
    check('times between two events', rows == {k: n for k, n in wanted.items() if n} and rows, f'{rows} {wanted}')
    enter(b, 'cpu == 3')
    b.until("document.querySelector('#panel caption')?.textContent.endsWith(', of events where cpu == 3')")
    said, rows = count(b, expr='tid')
    check('of events that match', said.startswith('500 values'), said)
    said, rows = count(b, expr='nothing_such')
    check('an error', "Unknown identifier: 'nothing_such'" in said, said)


def main():
    sonde = sys.argv[1]
    make('x', 2000)
    subprocess.run([sonde, 'export', '--html', '-o', 'x.html', 'x'], check=True, stderr=subprocess.DEVNULL)
    server = subprocess.Popen([sonde, 'view', 'x'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    b = View()
    try:
        for url in (server.stdout.readline().split()[-1], 'file://' + os.path.abspath('x.html')):
            print(url.split(':')[0])
            b.show(url)
            lanes(b)
            predicates(b, sonde)
            steps(b)
            values(b, sonde)
            check('no other address', not b.foreign(), b.foreign())
            check('names are text', b.run("document.querySelectorAll('#panel b, #predicate b').length") == 0)
            errors = b.errors()
            check('no errors', not errors, errors)
    finally:
        b.end()
        server.terminate()
        server.wait(10)


if __name__ == "__main__":
    main()
