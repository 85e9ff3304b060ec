#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""path.py SONDE STACKS OTHER: the critical path of a wait whose chain is known, and the flame graph of a range of STACKS compared with another
one, and with OTHER; the time off the CPU."""
import collections
import decimal
import os
import re
import subprocess
import sys

from page import View, check

SHOWN = "[...document.querySelectorAll('.flame button')].map(e => e.title)"
NAMES = {1000: 'A', 1001: 'B', 1002: 'C', 0: '<idle>'}


def switch(ms, cpu, prev, following, state='S'):
    return (f'{NAMES[prev]:>16}-{prev:<5} [{cpu:03d}] d... 100.{ms:03d}000: sched_switch: prev_comm={NAMES[prev]} prev_pid={prev} prev_prio=120 prev_state={state} '
            f'==> next_comm={NAMES[following]} next_pid={following} next_prio=120\n')


def wake(ms, cpu, waker, woken):
    return f'{NAMES[waker]:>16}-{waker:<5} [{cpu:03d}] d... 100.{ms:03d}000: sched_waking: comm={NAMES[woken]} pid={woken} prio=120 target_cpu=001\n'


# A waits from 10 to 19 ms; B, which a timer wakes at 5, runs to 16 and wakes C at 13; C runs from 14 and wakes A at 19.
CHAIN = [switch(1, 0, 0, 1000, 'R'), switch(2, 1, 1001, 0), switch(3, 1, 1002, 0), wake(5, 0, 0, 1001), switch(6, 1, 0, 1001, 'R'), switch(10, 0, 1000, 0),
         wake(13, 1, 1001, 1002), switch(14, 0, 0, 1002, 'R'), switch(16, 1, 1001, 0), wake(19, 0, 1002, 1000), switch(20, 0, 1002, 1000)]
WANTED = [['B 1001', 'running on processor 1', '3 ms', '33.3 %'], ['C 1002', 'runnable, woken by B 1001', '1 ms', '11.1 %'], ['C 1002', 'running on processor 0', '5 ms', '55.6 %']]


def path(b):
    b.until("sondeView.picture.rowOf('task1000')")
    b.run("(sondeView.view.set({ picked: 'task1000', at: 12e6 }), document.getElementById('lanes').focus())")
    b.keys('c')
    b.until("document.querySelector('#panel caption')?.textContent.startsWith('A 1000')")
    rows = b.run("[...document.querySelectorAll('#panel tr')].map(r => [...r.cells].map(c => c.textContent))")
    check('steps', rows == WANTED, rows)
    said = b.run("document.querySelector('#panel caption').textContent")
    check('the wait', said.startswith('A 1000 is sleeping for 9 ms, from 100.010000000 s'), said)
    b.run("sondeView.view.set({ picked: 'task1001', at: 3e6 })")
    b.until("document.querySelector('#panel').textContent.includes('interrupt')")
    check('an interrupt', True)
    b.run("sondeView.view.set({ picked: 'task1001', at: 8e6 })")
    b.until("document.querySelector('#panel').textContent.startsWith('Select')")
    check('no wait', True)


def shares(sonde, file, when, only=''):
    """Of each path of functions, as titles have it."""
    lines = subprocess.run([sonde, 'export', '--to', 'folded', '-o', '/dev/stdout', *([f'--time={when}'] if when else []), file], capture_output=True, text=True, check=True).stdout.splitlines()
    n = collections.Counter()
    for line in lines:
        stack, count = line.rsplit(' ', 1)
        parts = ['all', *stack.split(';')]
        if only not in ('', parts[2]):
            continue
        for i in range(len(parts)):
            n[';'.join(parts[:i + 1])] += int(count)
    return n


def percent(share):
    """As toFixed() rounds: 6.25 is 6.3, and 6.2 in Python."""
    return f"{decimal.Decimal(100 * share).quantize(decimal.Decimal('.1'), decimal.ROUND_HALF_UP)} %"


NARROWEST = .0007  # share of the width that view/panels/flame.js draws


def titles(n, other=None):
    found = []
    for key, count in n.items():
        if count / n['all'] < NARROWEST:
            continue
        was = f", was {percent(other[key] / other['all'])}" if other else ''
        found.append(f"{key.rsplit(';', 1)[-1]}: {count} events, {percent(count / n['all'])}{was}")
    return sorted(found)


def flame(b, sonde, file):
    b.until('sondeView.info.isDone')
    first, whole = int(b.run('sondeView.info.from')), b.run('sondeView.info.range')
    seconds = ','.join('{}.{:09}'.format(*divmod(first + t, 10**9)) for t in (0, whole // 2, whole // 2 + 1, whole)).split(',')
    b.run(f"sondeView.view.set({{ a: 0, b: {whole // 2}, panel: 'flame' }})")
    b.until(f"{SHOWN}.length")
    base = shares(sonde, file, ','.join(seconds[:2]))
    check('the first half', sorted(b.run(SHOWN)) == titles(base))
    b.click("//button[.='compare the next range with this one']")
    b.run(f"sondeView.view.set({{ a: {whole // 2 + 1}, b: {whole} }})")
    wanted = titles(shares(sonde, file, ','.join(seconds[2:])), base)
    b.until("document.querySelector('#panel p:nth-of-type(2)')?.textContent.includes('red:')")
    b.until(f"{SHOWN}.length === {len(wanted)}")
    check('the second half, compared', sorted(b.run(SHOWN)) == wanted, [t for t in b.run(SHOWN) if t not in wanted][:3])
    b.click("//button[.='compare no more']")
    b.until("document.querySelector('#panel p:nth-of-type(2)')?.textContent.includes('red:') === false")


def off_cpu(sonde, file):
    """The microseconds from each switch away from a thread to the next one to it, of the text of the events."""
    lines = subprocess.run([sonde, 'script', '--ns', file], capture_output=True, text=True, check=True).stdout
    since, us = {}, 0
    for time, before, state, after in re.findall(r'(\d+\.\d{9}):\s+sched:sched_switch: .* prev_pid=(\d+) .* prev_state=(\S+) .* next_pid=(\d+) ', lines):
        us += (int(time.replace('.', '')) - since.pop(after)) / 1000 if after in since else 0
        if before != '0' and state[0] not in 'XZI':
            since[before] = int(time.replace('.', ''))
    return us


def kinds(b, sonde, file, other):
    """One event, the time off the CPU, and other files, as a page and as folded lines."""
    said = "document.querySelector('#panel p:nth-of-type(2)').textContent"
    choose = "(s => (s.value = '{}', s.onchange()))(document.querySelector('#panel select'))"
    b.run(choose.format('signal:signal_generate'))
    only = shares(sonde, file, '', 'signal:signal_generate')
    b.until(f"{SHOWN}.length === {len(titles(only))} && {said}.startsWith('{only['all']} events')")
    check('one event', sorted(b.run(SHOWN)) == titles(only), [t for t in b.run(SHOWN) if t not in titles(only)][:3])
    b.type("//*[@id='panel']//input[@type='search']", 'KILL')
    found = b.run("[...document.querySelectorAll('.flame .found')].map(e => e.textContent)")
    check('a search of functions', found and found == [n for n in b.run("[...document.querySelectorAll('.flame button')].map(e => e.textContent)") if 'kill' in n.lower()], found)
    base = shares(sonde, other, '', 'signal:signal_generate')
    wanted = titles(only, base)
    for name in ('y.html', 'y.folded'):
        subprocess.run([sonde, 'export', *(['--html'] if name == 'y.html' else ['--to', 'folded']), '-o', name, other], check=True, stderr=subprocess.DEVNULL)
        b.type("//*[@id='panel']//input[@type='file']", os.path.abspath(name))
        b.until(f"({said} || '').includes('larger share than in {name}')")
        check(f'compared with {name}', sorted(b.run(SHOWN)) == wanted, [t for t in b.run(SHOWN) if t not in wanted][:3])
    b.click("//button[.='compare no more']")
    b.run(choose.format('off'))
    b.until(f"({said} || '').includes('off CPU')")
    found, us = int(b.run(said).split()[0]), off_cpu(sonde, file)
    states = {t.split(':')[0] for t in b.run(SHOWN)} & {'sleeping', 'blocked', 'preempted', 'stopped'}
    check('the time off the CPU', 20000 < us and abs(found - us) <= len(b.run(SHOWN)) and 'sleeping' in states, f'{found} {us} {states}')


def main():
    sonde, stacks, other = sys.argv[1:]
    with open('chain', 'w', encoding='utf-8') as f:
        f.write('# tracer: nop\n' + ''.join(CHAIN))
    subprocess.run([sonde, 'export', '--html', '-o', 'x.html', 'chain'], check=True, stderr=subprocess.DEVNULL)
    servers = [subprocess.Popen([sonde, 'view', file], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for file in ('chain', stacks)]
    b = View()
    try:
        urls = [s.stdout.readline().split()[-1] for s in servers]
        for url in (urls[0], 'file://' + os.path.abspath('x.html')):
            b.show(url)
            path(b)
        b.show(urls[1])
        flame(b, sonde, stacks)
        b.run("sondeView.view.set({ a: null, b: null })")
        kinds(b, sonde, stacks, other)
        check('no errors', not b.errors() and not b.foreign(), f'{b.errors()} {b.foreign()}')
    finally:
        b.end()
        for s in servers:
            s.kill()
            s.wait(10)


if __name__ == '__main__':
    main()
