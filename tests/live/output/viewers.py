#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""viewers.py MODULES FILE...: opens profiles in speedscope, by its own importers (npm's package, in Chromium), and prints the
functions of its table, by what they take with their callees. MODULES: node_modules."""
import base64
import os
import sys
import tempfile
import time

import browser


def wait_for(b, script):
    """What the script answers, when it answers something."""
    for _ in range(150):
        value = b.run(script)
        if value:
            return value
        time.sleep(0.1)
    return value


def rows(b):
    """Its table: cells with a percentage, and the name. It draws only the rows that are visible (so the window is high), in
    steps: asked until two answers are equal."""
    b.click("//*[contains(text(), 'Sandwich')]")
    last = None
    while True:
        table = wait_for(b, "[...document.querySelectorAll('tr')].map(r => [...r.cells].map(c => c.innerText.trim())).filter(r => r.some(c => c.includes('%')))")
        if not table or table == last:
            return table
        last = table
        time.sleep(0.5)


def show(b, modules, folder, file):
    script = folder + '/profile.js'
    with open(file, 'rb') as f:
        data = base64.b64encode(f.read()).decode()
    with open(script, 'w', encoding='utf-8') as f:
        f.write(f"speedscope.loadFileFromBase64('{os.path.basename(file)}', '{data}')")
    b.open('/dev/null')
    b.open(f'{modules}/speedscope/dist/release/index.html#localProfilePath={script}')
    wait_for(b, "document.body.innerText.includes('Sandwich')")
    print(os.path.basename(file), *b.errors())
    for row in sorted(rows(b), key=lambda cells: cells[-1]):
        print('  ', ' | '.join(row).replace('\n', ' '))


def main():
    modules, *files = sys.argv[1:]
    b = browser.Browser(height=6000)
    try:
        with tempfile.TemporaryDirectory() as folder:
            for file in files:
                show(b, os.path.abspath(modules), folder, file)
    finally:
        b.end()


main()
