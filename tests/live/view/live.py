#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""live.py SONDE: sonde view --live: charts grow while a script runs, pause while it goes on, and the terminal has its text and the maps at the end.
Losses are gaps in each chart, and a run does not need its page."""
import os
import re
import signal
import subprocess
import sys

from page import View, check

SCRIPT = ('begin { printf("hello\\n"); } interval:ms:20 { @n = count(); @h = hist(elapsed / 1000000); @by["<b>x", 1] = max(3); @by["y", 2] = max(7); '
          '@each[cpu] = hist(5); @s = stats(4); }')
CELLS = "[...document.querySelectorAll('#charts section')].map(s => [s.querySelector('h2').textContent, ...[...s.querySelectorAll('tr')].map(r => [...r.cells].map(c => c.textContent))])"
INK = """[...document.querySelectorAll('#charts canvas')].map(c => {
    const d = c.getContext('2d').getImageData(110, 0, c.width - 110, c.height).data, colors = new Set();
    for (let i = 0; i < d.length; i += 4)
        if (d[i + 3] > 200)
            colors.add([d[i] >> 5, d[i + 1] >> 5, d[i + 2] >> 5].join());
    return colors.size;
})"""


LOSES = 'config = { max_map_keys = 8 } interval:ms:20 { @n = count(); @h = hist(elapsed / 1000000); } interval:ms:20 /elapsed > 3000000000/ { @k[elapsed] = 1; }'
# pixels of the red of losses in each chart: in its first fifth, and in its last one
RED = """[...document.querySelectorAll('#charts canvas')].map(c => [110, c.width - 90].map(x => {
    const d = c.getContext('2d').getImageData(x, 0, 90, c.height).data;
    let n = 0;
    for (let i = 0; i < d.length; i += 4)
        n += d[i + 3] > 60 && d[i] > 140 && d[i] > d[i + 1] + 90 && d[i + 2] > d[i + 1];
    return n;
}))"""


def gaps(b, sonde):
    run = subprocess.Popen([sonde, 'view', '--live', '-e', LOSES], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        b.call('/url', {'url': run.stderr.readline().split()[-1]})
        b.until("document.querySelector('header [role=status]')?.textContent.includes('events were lost: hatched')")
        b.until(f'{RED}.every(n => n[1] > 50)')
        red = b.run(RED)
        check('losses are gaps in each chart', len(red) == 3 and sum(n[0] == 0 for n in red) == 2, red)  # that of @k begins with them
        with open(f'/proc/{run.pid}/task/{run.pid}/children', encoding='ascii') as f:
            page = [int(pid) for pid in f.read().split()]
        os.kill(page[0], signal.SIGKILL)
        b.until("document.querySelector('header [role=status]').textContent.startsWith('the run is over')")
        run.send_signal(signal.SIGINT)
        text = run.communicate(timeout=30)[0]
        check('the run goes on without its page', run.returncode == 0 and '@n: ' in text, f'{run.returncode} {text[:300]}')
    finally:
        if run.poll() is None:
            run.kill()
            run.wait(10)


def number(b):
    return int({s[0]: s[1:] for s in b.run(CELLS)}['@n'][0][1])


def main():
    run = subprocess.Popen([sys.argv[1], 'view', '--live', '-e', SCRIPT], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    b = View()
    try:
        b.call('/url', {'url': run.stderr.readline().split()[-1]})
        b.until("document.querySelectorAll('#charts section').length >= 5")
        b.until("sondeLive.charts.get('@h').frames.length > 3")
        found = {s[0]: s[1:] for s in b.run(CELLS)}
        check('a chart of each map', sorted(found) == ['@by', '@each', '@h', '@n', '@s'], found)
        check('numbers of keys', [r[:2] for r in found['@by']] == [['y,2', '7'], ['<b>x,1', '3']], found['@by'])
        check('a histogram', sum(int(r[1]) for r in found['@h']) > 10 and all(' to ' in r[0] or r[0].isdigit() for r in found['@h']), found['@h'])
        check('they are drawn', all(b.run(INK)), b.run(INK))
        before = number(b)
        b.click("//button[starts-with(., 'pause')]")
        paused, frames = number(b), b.run("sondeLive.charts.get('@n').frames.length")
        b.until(f"sondeLive.charts.get('@n').frames.length > {frames} + 1")
        check('pause', number(b) == paused >= before)
        b.click("//button[starts-with(., 'go on')]")
        b.until("document.querySelector('header [role=status]').textContent === 'running'")
        check('the run went on', number(b) > paused)
        check('names are text', b.run("document.querySelectorAll('#charts b').length") == 0)
        last = number(b)
        run.send_signal(signal.SIGINT)
        text = run.communicate(timeout=30)[0]
        check('the terminal has the text', text.startswith('hello\n') and text.count('@n:') == 1, text[:200])
        check('and the maps at the end', int(re.search(r'@n: (\d+)', text)[1]) >= last and '@h:\n' in text)
        check('the status', run.returncode == 0, run.returncode)
        b.until("document.querySelector('header [role=status]').textContent === 'the run is over'")
        check('no other address', not b.foreign(), b.foreign())
        gaps(b, sys.argv[1])
    finally:
        b.end()
        if run.poll() is None:
            run.kill()
            run.wait(10)


main()
