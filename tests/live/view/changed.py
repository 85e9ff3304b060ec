#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""changed.py SONDE FILE: what a page and a terminal say when the file has changed since it was opened, and a page when its server has ended."""
import os
import shutil
import subprocess
import sys

from terminal import Terminal  # before page, which has another one in its path
from page import View, check


def truncate():
    os.truncate('t', os.path.getsize('t') // 2)


def overwrite():
    with open('t', 'r+b') as f:
        f.seek(os.path.getsize('t') // 2)
        f.write(b'x' * 1000)


def grow():
    with open('t', 'ab') as f:
        f.write(b'x' * 1000)


def replace():
    with open('t2', 'wb') as f:
        f.write(b'something else')
    os.rename('t2', 't')


def notice(b):
    return b.run("document.getElementById('notice').textContent")


def main():
    sonde, file = sys.argv[1:]
    b = View()
    try:
        for change, said in ((truncate, 'The file has changed'), (overwrite, 'The file has changed'), (grow, 'The file has grown'), (replace, ''), (None, 'sonde view has ended')):
            name = change.__name__ if change else 'end'
            shutil.copy(file, 't')
            server = subprocess.Popen([sonde, 'view', 't'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            try:
                b.show(server.stdout.readline().split()[-1])
                b.until("document.querySelector('#panel table')")
                before, events = notice(b), b.run("document.querySelector('#panel table td:nth-child(3)').textContent")
                t = None
                if change:
                    t = Terminal([sonde, 'tui', 't'])
                    t.until(lambda t=t: '1/' in t.lines()[0] and 'reading' not in t.lines()[0])
                    change()
                else:
                    server.kill()
                b.run("sondeView.view.set({ a: sondeView.info.range / 4, b: sondeView.info.range / 2, panel: 'sums' })")
                if said:
                    b.until(f"document.getElementById('notice').textContent.includes('{said}')", 10)
                else:
                    b.until(f"document.querySelector('#panel table') && document.querySelector('#panel table td:nth-child(3)').textContent !== '{events}'", 10)
                check(name, not before and notice(b).startswith(said) and (said or not notice(b)), f'{before} {notice(b)}')
                if change is replace:  # what runs over the file reads the one that was opened
                    b.run("sondeView.view.set({ filter: 'ret == 1' })")
                    b.until('sondeView.filter.isDone && sondeView.filter.text', 10)
                    check('  its filter', b.run('sondeView.filter.n') > 10000, b.run('[sondeView.filter.n, sondeView.filter.wrong]'))
                if t:
                    t.type('end', 'home')
                    t.until(lambda t=t, said=said: said.lower() in t.lines()[0] if said else 't  1/' in t.lines()[0])
                    check('  in a terminal', bool(said) == ('the file' in t.lines()[0]), t.lines()[0])
                    t.type('\x03')
                    t.wait()
            finally:
                server.kill()
                server.wait(10)
    finally:
        b.end()


main()
