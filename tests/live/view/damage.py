#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""damage.py SONDE FILE: a recording with damage: a byte of a chunk or of its head flipped, without an end, cut off, with its oldest part overwritten.
Missing parts are gaps, in the page as it is served, in a file, and in the terminal; what is summed up is what sonde report has."""
import os
import re
import struct
import subprocess
import sys
import time

from terminal import Terminal  # before page, which has another one in its path
from files import red
from page import View, check, same_sums

HEAD = '<IBBHIIIIQQQ'
EVENTS, LOST, GONE = 4, 5, 8


def chunks(data):
    """offset, kind, processor, events, length, first and last time of each."""
    at, found = struct.unpack_from('<H', data, 10)[0], []
    while at + 64 <= len(data) and data[at:at + 4] == b'CHNK':
        _, kind, _, cpu, count, stored, _, _, t0, t1, _ = struct.unpack_from(HEAD, data, at)
        found.append((at, kind, cpu, count, 64 + stored, t0, t1))
        at += 64 + stored
    return found


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1:]


def make(file):
    """Files, and the time of which something is missing: from, to, processor; None: only that there is a gap."""
    with open(file, 'rb') as f:
        data = f.read()
    all_chunks = chunks(data)
    events = [c for c in all_chunks if c[1] == EVENTS]
    origin = min(c[5] for c in events)
    of = max((c[2] for c in events), key=lambda cpu: sum(c[3] for c in events if c[2] == cpu))
    busy = [c for c in events if c[2] == of]
    middle = busy[len(busy) // 2]
    made = {'body': (flipped(data, middle[0] + 80), [middle[5] - origin, middle[6] - origin, of]),
            'head': (flipped(data, middle[0] + 20), [middle[5] - origin, middle[6] - origin, of]),
            'no-end': (data[:-16], None),
            'cut': (data[:middle[0] + 100], None)}
    for name, (content, _) in made.items():
        with open(name, 'wb') as to:
            to.write(content)
    return {name: gap for name, (_, gap) in made.items()}


def spans(b, kind, key):
    """Of a lane in the coarsest tile that has no steps, else in all that are there: t0, t1, arg."""
    return b.run(f"""(() => {{ const found = []; for (const part of sondeView.picture.parts) {{ const lane = part.tile.lanes.get({key} * 8 + {kind});
        for (let i = 0; lane && i < lane.n; i++) if (!(lane.flags[i] & 1)) found.push([lane.t0[i], lane.t1[i], lane.arg[i]]); }} return found; }})()""")


def longest(b):
    """Number and the largest of the times from a switch away from a thread to the next one to it."""
    of = "{ first: 'sched:sched_switch', second: 'sched:sched_switch', key: 'prev_pid,next_pid', filter: '', from: 0, to: sondeView.info.range }"
    counted = b.call('/execute/async', {'script': f'const d = arguments[0]; sondeView.source.values({of}).then(d, e => d({{ n: String(e) }}))', 'args': []})
    return [counted['n'], counted.get('largest')]


def longest_there(sonde, name, b, start, end):
    """The same of the lines of sonde script, without those over the beginning or the end of the gap."""
    origin, since, found = int(b.run('sondeView.info.from')), {}, []
    edges = [origin + start, origin + end]
    text = subprocess.run([sonde, 'script', '--ns', '-F', 'time,event,trace', name], capture_output=True, check=False, text=True).stdout
    for seconds, ns, prev, following in re.findall(r'(\d+)\.(\d{9}): +sched:sched_switch: .*?prev_pid=(\d+) .*next_pid=(\d+)', text):
        now = int(seconds) * 10**9 + int(ns)
        if following in since and not any(since[following] < edge <= now for edge in edges):
            found.append(now - since[following])
        since.pop(following, None)
        since[prev] = now
    return [len(found), max(found)]


def look(b, sonde, name, url, gap):
    b.show(url)
    b.until('sondeView.info.isDone && sondeView.picture.took.length')
    gaps, whole = b.run('sondeView.info.gaps'), b.run('sondeView.info.range')
    if gap:
        check('  the gap is that of the chunk', gap in gaps, f'{gap} {gaps}')
    start, end, cpu = gap or gaps[-1]
    check('  there is a gap', start < end and (cpu == -1 or gap), gaps)
    for _ in range(40):  # it is drawn with a later frame
        if red(b, (start + end) / 2):
            break
        time.sleep(.05)
    outside = start / 2 if start > whole / 5 else (end + whole) / 2
    check('  it is hatched', red(b, (start + end) / 2) and (not red(b, outside) or end - start > whole * .8), f'{start} {end} {whole}')
    n = b.run('sondeView.info.events')
    lines = subprocess.run([sonde, 'script', name], capture_output=True, check=False).stdout.count(b'\n')
    check('  all events that are left', n == lines > 1000, f'{n} {lines}')
    for a, c in ((None, None), (start - whole / 20, (start + end) / 2), ((start + end) / 2, end + whole / 20), (start - whole / 20, end + whole / 20)):
        limits = 'null, b: null' if a is None else f'{max(0, round(a))}, b: {min(whole, round(c))}'
        b.run(f"sondeView.view.set({{ a: {limits}, panel: 'sums' }})")
        time.sleep(.4)  # sums follow later
        b.until("document.querySelector('#panel table') || document.getElementById('panel').textContent.includes('in steps')")
        wrong = same_sums(b, sonde, name)
        check('  sums', not wrong, f'{limits} {wrong}')
    counted, wanted = longest(b), longest_there(sonde, name, b, start, end)
    check('  no time reaches over it', counted == wanted, f'{counted} {wanted}')
    b.run(f'sondeView.view.set({{ a: null, b: null, from: {max(0, start - (end - start) / 2)}, to: {min(whole, end + (end - start) / 2)} }})')
    b.until('sondeView.picture.parts.length')
    time.sleep(.5)
    cpus = [cpu] if cpu >= 0 else range(b.run('sondeView.info.cpus'))
    over = [s for c in cpus for s in spans(b, 0, c) if s[0] < start - 1 and s[1] > start + 1]
    tasks = b.run('sondeView.info.tasks.length')
    over += [s for t in range(1, tasks) for s in spans(b, 1, t) if s[0] < start - 1 and s[1] > end + 1 and s[2] != 1]
    check('  no span reaches over it', not over, over[:3])
    check('  no errors', not b.errors(), b.errors())


def in_terminal(sonde, name):
    t = Terminal([sonde, 'tui', name])
    t.until(r'1/\d\d+')
    t.until(lambda: 'reading' not in t.lines()[0])
    check('  marked in the terminal', any(re.match(r'\d.*s +[-!AB]*!', line) for line in t.lines()), t.lines()[:6])
    t.type('r')
    t.until('Sums')
    wanted = [line[:79].rstrip() for line in subprocess.run([sonde, 'report', name], capture_output=True, check=False, text=True).stdout.split('\n') if line]
    shown = [line.strip() for line in t.lines()[2:20] if line]
    check('  its sums', len(shown) > 5 and all(line in wanted for line in shown[:4]), f'{shown} {wanted}')
    t.type('\x03')
    t.wait()


def main():
    sonde, file = sys.argv[1:3]
    gaps = make(file)
    for name in sys.argv[3:]:
        gaps[name] = None
    b = View()
    try:
        for name, gap in gaps.items():
            subprocess.run([sonde, 'export', '--html', '-o', 'x.html', name], check=False, stderr=subprocess.DEVNULL)
            server = subprocess.Popen([sonde, 'view', name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            try:
                for url in (server.stdout.readline().split()[-1], 'file://' + os.path.abspath('x.html')):
                    print(name, url.split(':')[0])
                    look(b, sonde, name, url, gap)
                in_terminal(sonde, name)
            finally:
                server.kill()
                server.wait(10)
    finally:
        b.end()


main()
