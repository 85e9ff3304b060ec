#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""counters.py SONDE: lanes of numbers over time, as a person adds them; compares with what the recording has."""
import json
import os
import re
import subprocess
import sys
import time

from tui import make, say  # first: page and output have a terminal.py each
from page import View, check, labels
from path import CHAIN

SCRIPT = 'tracepoint:sched:sched_switch { @[args.next_comm] = count(); } // @no { } map'
HEAT = 'tracepoint:sched:sched_switch { @ = hist(args.prev_prio); }'
KEYED = 'tracepoint:sched:sched_switch { @n = count(); @by[args.prev_comm] = lhist(args.prev_prio, 0, 140, 20); }'
SLOW = 'tracepoint:sched:sched_switch { $i = 0; while ($i < 10000000) { $i++; } @ = count(); }'
SWITCH = '{:>16}-{:<5} [000] d... {:.6f}: sched_switch: prev_comm={} prev_pid={} prev_prio=120 prev_state={} ==> next_comm={} next_pid={} next_prio=120\n'


def write(file, lines):
    with open(file, 'w', encoding='utf-8') as f:
        f.write('# tracer: nop\n' + ''.join(lines))


def busy():
    """A thread that runs 30 us of each 100 us, for 2 s: much shorter than a step of the coarsest tile."""
    for i in range(20000):
        t = 100 + i / 1e4
        yield SWITCH.format('<idle>', 0, t, 'swapper', 0, 'R', 'busy', 1000)
        yield SWITCH.format('busy', 1000, t + 3e-5, 'busy', 1000, 'S', 'swapper', 0)


def add(b, which, text):
    """Types a lane into the panel, and waits for its answer: what it says, and its lines."""
    b.clear(f"(//*[@id='panel']//form)[{which}]//*[self::input or self::textarea]")
    b.type(f"(//*[@id='panel']//form)[{which}]//*[self::input or self::textarea]", text)
    b.click(f"((//*[@id='panel']//form)[{which}]//button)")
    return lane(b, text)


def lane(b, text):
    kept = f'sondeView.picture.context.series.kept.get({json.dumps(text)})'
    b.until(f'{kept} && !{kept}.busy && {kept}.to >= 0')
    b.until('sondeView.picture.frame === 0')
    return b.run(f'{kept}.wrong'), {k: [*zip(*v)] for k, v in b.run(f'''[...{kept}.lines].map(([k, l]) =>
        [k, [l.time.map(t => t === -Infinity ? -1 : t), l.low, l.high, l.last]])''')}, b.run(f'[{kept}.from, {kept}.step]')


def fields(b):
    """The recording x: prev_prio of event i is i % 140, event i is at i * 10 us."""
    wrong, lines, _ = add(b, 1, 'sched:sched_switch.prev_prio by cpu')
    events = {str(cpu): [(i * 10000, i % 140) for i in range(0, 2000, 2) if i // 5 % 4 == cpu] for cpu in range(4)}
    check('a line for each processor', not wrong and sorted(lines) == sorted(events), f'{wrong} {sorted(lines)}')
    for cpu, points in lines.items():
        values = [v for _, v in events[cpu]]
        right = min(p[1] for p in points) == min(values) and max(p[2] for p in points) == max(values) and points[-1][3] == values[-1]
        check(f'  {cpu}: least, largest, last', right and all(p[1] <= p[3] <= p[2] for p in points), points[-3:])
    b.run('sondeView.view.set({ from: 5e6, to: 5.4e6 })')
    b.until("sondeView.picture.context.series.kept.get('sched:sched_switch.prev_prio by cpu').step < 1000")
    _, lines, (first, step) = lane(b, 'sched:sched_switch.prev_prio by cpu')
    wrong = [(t, v) for cpu, points in lines.items() for t, v in events[cpu] if 5e6 <= t <= 5.4e6
             and not any(p[0] <= t < p[0] + step and p[1] == p[2] == p[3] == v for p in points)]
    check('zoomed in, each event', not wrong, f'{wrong} {step}')
    before = {cpu: [v for t, v in events[cpu] if t < first][-1] for cpu in lines}
    check('  what was before', all(points[0][0] == -1 and points[0][3] == before[cpu] for cpu, points in lines.items()), f'{before} {lines}')
    tip = b.run("sondeView.picture.hit(sondeView.picture.rowOf('counter:sched:sched_switch.prev_prio by cpu'), 5.2e6).text")
    wanted = {cpu: [v for t, v in events[cpu] if t <= 5.2e6][-1] for cpu in events}
    check('  the tip', sorted(tip.split('\n')) == sorted(f'{cpu}: {v}' for cpu, v in wanted.items()), f'{tip} {wanted}')
    b.keys('\ue00c0')
    for text, error in (('sched:sched_switch.prev_comm', ('number', 'Cannot cast')), ('sched:nothing.x', ('no event',)), ('sched:sched_switch.nothing', ('nothing', 'no event'))):
        wrong, _, _ = add(b, 1, text)
        check(f'an error: {text}', any(e in wrong for e in error), wrong)


def scripts(b, sonde):
    wrong, lines, _ = add(b, 2, SCRIPT)
    wanted = dict(re.findall(r'^@\[(.*)\]: (\d+)$', say(sonde, 'run', '--from', 'x', '-e', SCRIPT).stdout, re.M))
    found = {k.removeprefix('@.'): v for k, v in lines.items()}
    rises = all(a[3] <= b[3] for points in found.values() for a, b in zip(points, points[1:]))
    check('maps of a script', not wrong and rises and len(next(iter(found.values()))) > 500, f'{wrong} {[len(v) for v in found.values()]}')
    names = {k for k in found if re.fullmatch(r'\w+', k)}
    check('  at the end', names and all(int(wanted[k]) - found[k][-1][3] in (0, 1) for k in names), f'{wanted} {[(k, v[-1]) for k, v in found.items()]}')
    half = [p for p in found['bash'] if p[0] <= 1e7][-1][3]
    check('  in the middle', abs(half - int(wanted['bash']) / 2) <= 2, f'{half} {wanted}')
    wrong, _, _ = add(b, 2, 'tracepoint:sched:sched_switch { @ = }')
    check('an error of the language', 'expected expression' in wrong, wrong)


def heat(b, text, name):
    """The rows of a heat map and its columns: times, and how many values came into each row."""
    wrong, _, _ = lane(b, text)
    check(f'{name}: no error', not wrong, wrong)
    rows, times, added = b.run(f'(h => [h.rows, h.time, h.added])(sondeView.picture.context.series.kept.get({json.dumps(text)}).heats.get({json.dumps(name)}))')
    return rows, list(zip(times, added))


def buckets(sonde, file, script):
    """The histogram @ of a script over the recording: how many values each bucket has."""
    lines = [json.loads(line) for line in say(sonde, 'run', '-f', 'json', '--from', file, '-e', script).stdout.splitlines()]
    return [x['count'] for line in lines for x in line.get('data', {}).get('@', []) if x['count']]


def heats(b, sonde):
    b.run('sondeView.view.set({ from: 0, to: sondeView.info.range })')
    if 'http' in b.run('location.href'):
        add(b, 2, HEAT)
    rows, columns = heat(b, HEAT, '@')
    wanted, sums = buckets(sonde, 'x', HEAT), [sum(n) for n in zip(*(c for _, c in columns))]
    check('  all values are in it', len(rows) == len(sums) and all(0 <= w - s <= 1 for w, s in zip(wanted, [n for n in sums if n])) and sum(wanted) - sum(sums) <= 2, f'{wanted} {sums}')
    half = buckets(sonde, 'x', HEAT.replace('sched_switch', 'sched_switch /nsecs < 100010000000/'))
    at = [sum(n) for n in zip(*(c for t, c in columns if t <= 1e7))]
    check('  in the middle', all(abs(x - y) <= 1 for x, y in zip([n for n in at if n], half)), f'{half} {at}')
    b.run('sondeView.view.set({ from: 8e6, to: 12e6 })')
    b.until(f'sondeView.picture.context.series.kept.get({json.dumps(HEAT)}).from > 0')
    _, columns = heat(b, HEAT, '@')
    check('  zoomed in, only what came then', 150 <= sum(sum(c) for _, c in columns) <= 450, sum(sum(c) for _, c in columns))
    b.until('sondeView.picture.frame === 0')
    row = f'sondeView.picture.rowOf({json.dumps("counter:" + HEAT)})'
    b.until(row)
    tips = [b.run(f'sondeView.picture.hit({row}, 1e7, {y}).text') for y in (.05, .95)]
    check('  the tip', tips[0].startswith(f'@, {rows[-1]}: ') and tips[1].startswith(f'@, {rows[0]}: '), tips)
    add(b, 2, KEYED) if 'http' in b.run('location.href') else lane(b, KEYED)
    b.run('sondeView.view.set({ from: 0, to: sondeView.info.range })')
    b.until('sondeView.picture.frame === 0')
    names = [name for name in labels(b) if KEYED in name]
    check('numbers and a histogram of each key', len(b.run(f'sondeView.picture.rows.filter(r => r.id.startsWith({json.dumps("counter:" + KEYED)})).map(r => r.id)')) == 2, names)


def children(pid):
    return subprocess.run(['ps', '-o', 'pid=', '--ppid', str(pid)], check=False, capture_output=True, text=True).stdout.split()


def add_slow(b, server):
    b.clear("(//*[@id='panel']//form)[2]//textarea")
    b.type("(//*[@id='panel']//form)[2]//textarea", SLOW)
    b.click("((//*[@id='panel']//form)[2]//button)")
    end = time.monotonic() + 20
    while not children(server.pid) and time.monotonic() < end:
        time.sleep(.05)
    check('a slow script runs', children(server.pid))


def ends(b, server):
    """What a lane waits for ends when the lane is removed."""
    add_slow(b, server)
    b.click(f"//*[@id='panel']//li[last()]/button")
    end = time.monotonic() + 3
    while children(server.pid) and time.monotonic() < end:
        time.sleep(.05)
    check('  and ends with its lane', not children(server.pid), children(server.pid))
    add_slow(b, server)
    b.call('/url', {'url': 'about:blank'})
    end = time.monotonic() + 12
    while children(server.pid) and time.monotonic() < end:
        time.sleep(.05)
    check('  and with the page', not children(server.pid), children(server.pid))


def keep(b):
    """The address has the lanes; a button removes one."""
    lanes = b.run('sondeView.view.lanes')
    b.until('location.hash.slice(1) === sondeView.view.address()')
    b.show(b.run('location.href'))
    b.until('sondeView.info.isDone')
    check('the address has the lanes', b.run('sondeView.view.lanes') == lanes and len(lanes) > 3, lanes)
    b.click(f"//*[@id='panel']//li[1]/button")
    b.until(f"document.querySelectorAll('#panel li').length === {len(lanes) - 1}")
    check('one is removed', b.run('sondeView.view.lanes') == lanes[1:] and lanes[0] not in labels(b))


def threads(b):
    hit = "sondeView.picture.hit(sondeView.picture.rowOf('counter:threads'), {}).text"
    b.until("sondeView.picture.rowOf('counter:threads') && sondeView.picture.parts.length")
    return [b.run(hit.format(ns)) for ns in (4.5e6, 11e6, 12.5e6)]  # from the first event on, which is at 1 ms


def served(sonde, file):
    server = subprocess.Popen([sonde, 'view', file], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return server, server.stdout.readline().split()[-1]


def main():
    sonde = sys.argv[1]
    make('x', 2000)
    write('chain', CHAIN)
    write('busy', busy())
    subprocess.run([sonde, 'export', '--html', '--lane', HEAT, f'--lane={KEYED}', '-o', 'x.html', 'x'], check=True, stderr=subprocess.DEVNULL)
    script = 'tracepoint:syscalls:sys_enter_exit_group { @exits[comm] = count(); }'
    subprocess.run([sonde, 'record', '-q', '-o', 'own', '-e', script, '--', 'sh', '-c', '/bin/true; /bin/true; /bin/true'], check=True)
    subprocess.run([sonde, 'export', '--html', '-o', 'own.html', 'own'], check=True, stderr=subprocess.DEVNULL)
    failed = say(sonde, 'export', '--html', '--lane', 'tracepoint:sched:sched_switch { @ = }', '-o', 'wrong.html', 'x')
    check('an error of --lane', failed.returncode == 1 and 'expected expression' in failed.stderr and not os.path.exists('wrong.html'), failed)
    make('one', 1)
    check('a lane of one event', say(sonde, 'export', '--html', '--lane', HEAT, '-o', 'one.html', 'one').returncode == 0)
    servers = [served(sonde, file) for file in ('x', 'chain', 'busy', 'own')]
    b = View()
    try:
        for url in (servers[0][1], 'file://' + os.path.abspath('x.html')):
            print(url.split(':')[0])
            b.show(url)
            b.click("//button[.='Counters']")
            b.until("document.querySelector('#panel form')")
            fields(b)
            if url.startswith('http'):
                scripts(b, sonde)
                heats(b, sonde)
                keep(b)
                ends(b, servers[0][0])
            else:
                check('no other script without a server', 'no server' in add(b, 2, SCRIPT)[0])
                heats(b, sonde)
        b.show(servers[1][1])
        said = threads(b)
        check('threads that run, and wait', said == ['1 run, 1 wait for a processor', '1 run, 0 wait for a processor', '1 run, 1 wait for a processor'], said)
        b.show(servers[2][1])
        b.until('sondeView.info.isDone && sondeView.picture.parts.length')
        check('processors, of which a text has no number', 'processor 0' in labels(b), labels(b))
        share = float(threads(b)[1].split()[0])
        check('the share of time, of spans that are merged', abs(share - .3) < .03 and b.run('sondeView.picture.parts[0].tile.step') > 100000, share)
        b.show(servers[3][1])
        wrong, lines, _ = lane(b, script)
        check('the script that was recorded', not wrong and lines['@exits.true'][-1][3] >= 2 and script in labels(b), f'{wrong} {lines}')
        b.show('file://' + os.path.abspath('own.html'))
        wrong, lines, _ = lane(b, script)
        check('  in a file', not wrong and lines['@exits.true'][-1][3] >= 2 and script in labels(b), f'{wrong} {lines}')
        check('no errors', not b.errors() and not b.foreign(), f'{b.errors()} {b.foreign()}')
    finally:
        b.end()
        for server, _ in servers:
            server.terminate()
            server.wait(10)


main()
