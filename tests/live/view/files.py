#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""files.py SONDE FILE: the page of recordings without events, with one, with losses, with hostile names, and of FILE, cut off: served and from
a file."""
import os
import re
import subprocess
import sys
import time

from page import View, check, labels, same_sums

HEAD = '# tracer: nop\n'
SWITCH = '{:>16}-{:<5} [000] d... {}: sched_switch: prev_comm={} prev_pid={} prev_prio=0 prev_state=S ==> next_comm={} next_pid={} next_prio=120\n'
HOSTILE = ['</script><b>', '<img src=x>', '"\'`\\', '\x1b[31m\x07', '\u202eab', 'a\udcff\udcfe']


def switches(times, names):
    lines = []
    for i, time in enumerate(times):
        a, b = i % len(names), (i + 1) % len(names)
        lines.append(SWITCH.format(names[a], 1000 + a, time, names[a], 1000 + a, names[b], 1000 + b))
    return lines


def write(file, lines):
    with open(file, 'w', encoding='utf-8', errors='surrogateescape') as f:
        f.write(HEAD + ''.join(lines))


def red(b, time):
    """Whether the lanes at that time are hatched in the color of losses: in the row of the first title, where nothing else is red."""
    return b.run(f"""(() => {{
        const p = sondeView.picture, c = document.getElementById('lanes'), by = devicePixelRatio, x = Math.round(p.xOf({time}) * by);
        const d = c.getContext('2d').getImageData(Math.max(0, x - 6), 0, 12, Math.round(18 * by)).data;
        for (let i = 0; i < d.length; i += 4)
            if (d[i + 3] && d[i] > d[i + 1] + 15 && d[i] > d[i + 2] + 8)
                return true;
        return false;
    }})()""")


def look(b, sonde, file, url):
    b.show(url)
    b.until('sondeView.info.isDone && sondeView.picture.took.length')
    n, notice = b.run('sondeView.info.events'), b.run("document.getElementById('notice').textContent")
    b.keys('0w[d]sf.,0')
    b.run("sondeView.view.set({ a: null, b: null })")
    b.click("//button[.='Sums']")
    if n and file not in ('hostile', 'years'):  # report prints bytes that are no text; a number of the page holds 104 days of ns
        b.until("sondeView.view.is.to - sondeView.view.is.from >= sondeView.info.range")
        time.sleep(.4)  # sums follow later
        wrong = same_sums(b, sonde, file)
        check('  sums', not wrong, wrong)
    for panel in ('Events', 'Values', 'Flame graph', 'About'):
        b.click(f"//button[.='{panel}']")
        b.until(f"document.querySelector('#tabs [aria-selected=true]')?.textContent === '{panel}'")
    check('  no errors', not b.errors() and not b.foreign(), f'{b.errors()} {b.foreign()}')
    return n, notice


def needs(b):
    """What the recording has not, and the command for it: in the picture and in each panel that lacks something."""
    heads = {r['id']: r for r in b.run('sondeView.picture.rows.filter(r => r.isHead)')}
    wanted = {'processes': 'sonde record COMMAND', 'interrupts': "sonde record -a -e 'irq:*,sched:*' COMMAND", 'stacks': 'sonde record -g COMMAND'}
    said = {}
    for panel in ('Sums', 'Critical path', 'Flame graph', 'Counters', 'About'):
        b.click(f"//button[.='{panel}']")
        b.until(f"document.querySelector('#tabs [aria-selected=true]')?.textContent === '{panel}' && document.getElementById('panel').textContent.includes('It needs')")
        said[panel] = b.run("[...document.querySelectorAll('#panel code')].map(e => e.textContent)")
    check('  what it needs', {'cpus', 'interrupts'} <= set(heads) and all(wanted['processes'] in s for p, s in said.items() if p != 'Flame graph')
          and wanted['stacks'] in said['Flame graph'] and set(wanted.values()) <= set(said['About']), f'{list(heads)} {said}')


def judge(b, sonde, name, n, notice):
    if name == 'none':
        check('  says so', not n and 'No events' in notice, notice)
        needs(b)
    elif name == 'one':
        check('  one event', n == 1 and not notice, f'{n} {notice}')
    elif name == 'years':
        check('  eight years', n == 100 and not notice, f'{n} {notice}')
    elif name == 'lossy':
        check('  the gap', '123 events were lost' in notice and red(b, 2.5e9) and not red(b, 1e9) and not red(b, 3.2e9), notice)
    elif name == 'hostile':
        markup = b.run("document.querySelectorAll('#labels img, #labels b, #panel img, #panel b').length")
        check('  names are text', not markup and any('<img' in label for label in labels(b)), labels(b))
    else:
        lines = subprocess.run([sonde, 'script', name], capture_output=True, check=False).stdout.count(b'\n')
        check('  what can be read', 'The file is damaged' in notice and n == lines > 100, f'{n} {lines} {notice}')


def main():
    sonde, file = sys.argv[1:]
    subprocess.run([sonde, 'record', '-q', '-e', 'sched:sched_switch', '--filter', 'prev_pid == 4194304', '-o', 'none', '--', 'true'], check=True)
    write('one', switches(['100.000000'], ['a', 'b']))
    lossy = switches(['100.000000', '100.500000', '103.000000', '103.400000'], ['a', 'b'])
    write('lossy', [*lossy[:2], 'CPU:0 [LOST 123 EVENTS]\n', *lossy[2:]])
    write('years', switches([f'{i * 2592000}.{i:06}' for i in range(100)], ['a', 'b']))
    write('hostile', switches([f'100.{i:06}' for i in range(60)], HOSTILE))
    with open(file, 'rb') as f, open('cut', 'wb') as to:
        to.write(f.read()[:os.path.getsize(file) - 100])
    b = View()
    try:
        for name in ('none', 'one', 'years', 'lossy', 'hostile', 'cut'):
            subprocess.run([sonde, 'export', '--html', '-o', 'x.html', name], check=name != 'cut', stderr=subprocess.DEVNULL)
            server = subprocess.Popen([sonde, 'view', name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            try:
                for url in (server.stdout.readline().split()[-1], 'file://' + os.path.abspath('x.html')):
                    print(name, url.split(':')[0])
                    judge(b, sonde, name, *look(b, sonde, name, url))
            finally:
                server.kill()
                server.wait(10)
    finally:
        b.end()


if __name__ == '__main__':
    main()
