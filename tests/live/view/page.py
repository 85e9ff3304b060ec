#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""page.py SONDE FILE [PAGE]: looks at a recording in Chromium as a person would: in PAGE, an export, or served by sonde view.
Prints what is right. Every request that is not to the page's own address is an error."""
import json
import os
import re
import subprocess
import sys
import time
import urllib.error

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../output'))
import browser  # noqa: E402

READY = "window.sondeView && sondeView.info.isDone && sondeView.picture.rows.length + sondeView.picture.took.length"


class View(browser.Browser):
    def show(self, url):
        self.call('/url', {'url': 'about:blank'})
        self.call('/url', {'url': url})
        self.until(READY)

    def until(self, condition, seconds=30):
        end = time.monotonic() + seconds
        while not self.run(condition):
            if time.monotonic() > end:
                sys.exit(f'not true after {seconds} s: {condition}; {self.errors()}')
            time.sleep(.05)

    def click(self, xpath):
        """Tables are made anew now and then: an element may be gone before it is clicked."""
        for left in range(20, -1, -1):
            try:
                return super().click(xpath)
            except urllib.error.HTTPError:
                if not left:
                    raise
                time.sleep(.1)

    def keys(self, text):
        self.type('//body', text)
        time.sleep(.1)

    def state(self, name):
        return self.run(f'sondeView.view.is.{name}')

    def rows(self, caption):
        return self.run(f"""[...document.querySelectorAll('#panel table')].filter(t => t.caption.textContent === '{caption}')
            .flatMap(t => [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent)))""")

    def pointer(self, *actions):
        self.call('/actions', {'actions': [{'type': 'pointer', 'id': 'mouse', 'parameters': {'pointerType': 'mouse'}, 'actions': list(actions)}]})

    def at(self, element, x, y):
        box = self.run(f"(b => [b.left, b.top])(document.getElementById('{element}').getBoundingClientRect())")
        return {'type': 'pointerMove', 'duration': 0, 'x': round(box[0] + x), 'y': round(box[1] + y)}

    def wheel(self, x, y, by):
        place = self.at('lanes', x, y)
        self.call('/actions', {'actions': [{'type': 'wheel', 'id': 'wheel', 'actions': [
            {'type': 'scroll', 'x': place['x'], 'y': place['y'], 'deltaX': 0, 'deltaY': by, 'duration': 0}]}]})

    def foreign(self):
        """Addresses that were asked for besides the page's own."""
        return self.run("performance.getEntriesByType('resource').map(e => e.name).filter(n => !n.startsWith(location.href.split(/[?#]/)[0]) && !n.startsWith('data:'))")


def check(name, right, why=''):
    print(f'{name}: {"right" if right else f"WRONG {why}"}')


def report(sonde, file, time_range=None):
    """What sonde report prints: rows of threads, calls and events, each a list of words."""
    text = subprocess.run([sonde, 'report', *([f'--time={time_range}'] if time_range else []), file], check=False, capture_output=True, text=True).stdout
    parts = [[line for line in part.split('\n')[1:] if line] for part in text.split('\n\n')]
    threads = [[line[8:24].strip(), line[:8].strip(), *line[24:].split()] for line in parts[1]]
    return threads, [line.split() for line in parts[2]] if len(parts) > 2 else [], [line.split(None, 1)[::-1] for line in parts[0]]


def same_sums(b, sonde, file):
    b.until("document.querySelector('#panel table')")
    command = b.run("document.querySelector('#panel code').textContent")
    threads, calls, events = report(sonde, file, re.search(r'--time=(\S+)', command)[1])
    for caption, wanted in (('Threads', threads), ('System calls', calls), ('Events', events)):
        found = [[' '.join(cell.split()) for cell in row] for row in b.rows(caption)]
        wanted = [[' '.join(cell.split()) for cell in row] for row in wanted]
        if found != wanted:
            return f'{caption}: {[r for r in found if r not in wanted][:3]} instead of {[r for r in wanted if r not in found][:3]} ({len(found)}, {len(wanted)} rows)'
    return '' if events else 'no events'


def labels(b):
    return b.run('sondeView.picture.rows.map(r => r.label)')


def hands(b):
    """Keys, wheel, drag, markers; the address has the state."""
    whole = b.state('to') - b.state('from')
    b.keys('0www')
    check('w zooms in', .2 < (b.state('to') - b.state('from')) / whole < .24)
    before = b.state('from')
    b.keys('d')
    check('d moves right', b.state('from') > before)
    b.keys('0')
    b.wheel(300, 30, -200)
    check('the wheel zooms in', b.state('to') - b.state('from') < whole * .9)
    before = b.state('from')
    b.pointer(b.at('lanes', 500, 30), {'type': 'pointerDown', 'button': 0}, b.at('lanes', 400, 30), {'type': 'pointerUp', 'button': 0})
    check('a drag moves', b.state('from') > before)
    b.keys('0')
    b.pointer(b.at('ruler', 260, 15), {'type': 'pointerDown', 'button': 0}, b.at('ruler', 900, 15), {'type': 'pointerUp', 'button': 0})
    check('a drag on the ruler sets A and B', b.state('a') < b.state('b'))
    check('their difference is shown', 'B − A = ' in b.run("document.getElementById('where').textContent"))
    b.keys('f')
    check('f zooms to them', abs(b.state('from') - b.state('a')) <= 1 and abs(b.state('to') - b.state('b')) <= 1)
    time.sleep(.5)
    address, state = b.run('location.href'), b.run('JSON.stringify(sondeView.view.is)')
    b.show(address)
    exact = {k: round(v) if isinstance(v, float) else v for k, v in json.loads(state).items()}
    again = {k: round(v) if isinstance(v, float) else v for k, v in json.loads(b.run('JSON.stringify(sondeView.view.is)')).items()}
    check('the address shows the same', exact == again, f'{exact} {again}')
    b.keys('?')
    check('? names the colors', b.run("getComputedStyle(document.querySelector('#keys .key')).backgroundColor") == 'rgb(26, 143, 74)')
    check('? lists the keys', b.run("document.getElementById('keys').open && document.querySelectorAll('#keys dt').length") > 15)
    b.keys('\ue00c')
    theme = b.run('document.documentElement.dataset.theme')
    b.keys('t')
    b.until(f"document.documentElement.dataset.theme !== '{theme}'")
    check('t changes light and dark', True)


def room(b):
    """f without markers shows the selected span; the bar of tabs moves."""
    b.keys('\ue00c0')
    b.until("sondeView.picture.rowOf('cpu0') && sondeView.picture.parts.length")
    span = b.run("""(() => { const p = sondeView.picture, of = c => p.rowOf('cpu' + c) && p.parts.flatMap(part => {
        const lane = part.tile.lanes.get(p.rowOf('cpu' + c).lanes[0]);
        return lane ? [...lane.t0].map((t, i) => [c, t, lane.t1[i], lane.flags[i]]) : []; });
        return [...of(0), ...of(1) || []].filter(s => !s[3] && s[2] - s[1] < sondeView.info.range / 4 && s[1] > 1e5).sort((a, b) => b[2] - b[1] - a[2] + a[1])[0]; })()""")
    b.run(f"sondeView.view.set({{ a: null, b: null, picked: 'cpu{span[0]}', at: {(span[1] + span[2]) / 2} }})")
    b.keys('f')
    wide = span[2] - span[1]
    check('f zooms to the selected span', abs(b.state('from') - span[1] + wide / 10) <= 2 and abs(b.state('to') - span[2] - wide / 10) <= 2, span)
    high = b.run("document.getElementById('picture').clientHeight")
    b.pointer(b.at('tabs', 1000, 10), {'type': 'pointerDown', 'button': 0}, b.at('tabs', 1000, -90), {'type': 'pointerUp', 'button': 0})
    lower = b.run("document.getElementById('picture').clientHeight")
    check('the bar of tabs moves', abs(high - lower - 100) < 12, f'{high} {lower}')
    b.keys('\ue00c0')


def table(b):
    """The event table and the picture: one follows the other."""
    b.keys('\ue00c0')
    b.click("//button[.='Events']")
    b.until("document.querySelectorAll('#panel tr[data-i]').length > 3")
    n = b.run("sondeView.info.events")
    b.run("document.getElementById('panel').scrollTo(0, 1e9)")
    b.until(f"(document.querySelector('.events').ariaLabel || '').includes('to {n} of {n}')")
    check('the table has all events', b.run("document.querySelectorAll('#panel tr').length") < 60)
    b.click("(//tr[@data-i])[last()]")
    b.until("sondeView.view.is.at !== null")
    check('a row selects its time', abs(b.state('at') - b.run('sondeView.info.range')) < 1)
    b.run("document.getElementById('lanes').focus()")
    b.keys('www')
    b.run("sondeView.view.set({ at: 0 })")
    b.until("(document.querySelector('.events').ariaLabel || '').startsWith('events 1 to')")
    check('the table follows the picture', True)
    b.click("//button[.='Sums']")


def select(b):
    """A selected event shows its fields."""
    b.run("sondeView.view.set({ from: 0, to: sondeView.info.range, a: null, b: null })")
    b.until("sondeView.picture.rowOf('event:sched:sched_process_exec')")
    b.run("sondeView.picture.scrollToRow('event:sched:sched_process_exec')")
    row = "sondeView.picture.rowOf('event:sched:sched_process_exec')"
    first = f'sondeView.picture.parts.map(p => p.tile.lanes.get({row}.lanes[0])?.t0[0]).find(t => t !== undefined)'
    b.until(f'({first}) !== undefined')
    when = b.run(first)
    b.run(f'sondeView.view.set({{ from: {when} - 1e5, to: {when} + 4e5 }})')
    b.until(f"({first}) !== undefined && sondeView.picture.hit({row}, {first})?.text.includes(' by ')")
    at = b.run(f'[sondeView.picture.xOf({first}), {row}.y - sondeView.picture.scroll + 8]')
    b.pointer(b.at('lanes', *at), {'type': 'pointerDown', 'button': 0}, {'type': 'pointerUp', 'button': 0})
    b.until("document.getElementById('said').textContent.includes('filename=')")
    check('a selected event has its fields', True)


def times(b, sonde, file):
    """The times of system calls of a range, beside what sonde report prints of them."""
    b.run("sondeView.view.set({ a: 1, b: Math.round(sondeView.info.range * .9), panel: 'sums' })")
    time.sleep(.4)  # panels follow later
    b.until("(document.querySelector('#panel code') || '').textContent?.includes('--time=') && document.querySelector('#panel table')")
    command = b.run("document.querySelector('#panel code').textContent")
    when = re.search(r'--time=(\S+)', command)[1]
    calls = report(sonde, file, when)[1]
    b.click("//button[.='Values']")
    b.click("//button[.='how long system calls take']")
    b.until("document.querySelector('#panel .counted')")
    said = b.run("document.querySelector('#panel .counted').textContent")
    n, largest = (int(re.search(pattern, said)[1]) for pattern in (r'^(\d+) values', r'largest (\d+)'))
    wanted = sum(int(c[1]) for c in calls), max(float(c[-1]) for c in calls)
    # the end of rt_sigreturn has the number -1, so the report, which compares numbers, has no time of it
    text = subprocess.run([sonde, 'script', f'--time={when}', file], check=False, capture_output=True, text=True).stdout
    n -= text.count('sys_exit: NR -1 ')
    check('times of calls are those of the report', n == wanted[0] and int(largest / 100) / 10 == wanted[1], f'{said} {wanted}')


def main():
    sonde, file, *page = sys.argv[1:]
    server = None
    if page:
        url = 'file://' + os.path.abspath(page[0])
    else:
        server = subprocess.Popen([sonde, 'view', file], stdout=subprocess.PIPE, text=True)
        url = server.stdout.readline().split()[-1]
    b = View()
    try:
        b.show(url)
        b.until("sondeView.info.isDone && sondeView.picture.rowOf('tasks')")
        found = labels(b)
        check('processors and processes', 'processor 0' in found and any(f.startswith('<b>') for f in found), found[:20])
        check('names are text', b.run("document.querySelectorAll('#labels b, #panel b, #tip b').length") == 0)
        wrong = same_sums(b, sonde, file)
        check('sums of all', not wrong, wrong)
        hands(b)
        time.sleep(.4)
        wrong = same_sums(b, sonde, file)
        check('sums between A and B', not wrong, wrong)
        room(b)
        table(b)
        select(b)
        times(b, sonde, file)
        foreign = b.foreign()
        check('no other address', not foreign, foreign)
        errors = b.errors()
        check('no errors', not errors, errors)
    finally:
        b.end()
        if server:
            server.terminate()
            server.wait(10)


if __name__ == '__main__':
    main()
