#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""axe.py MODULES PAGE: what axe-core (https://github.com/dequelabs/axe-core) says of an exported page."""
import os
import sys
import time

from page import View


def violations(b, axe):
    b.call('/execute/sync', {'script': axe, 'args': []})
    found = b.call('/execute/async', {'args': [], 'script': 'const end = arguments[arguments.length - 1]; axe.run(document).then(r => end(r.violations.map('
                                      'v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 120) + " " + n.failureSummary.slice(0, 200)).join(" | "))))'})
    return found or 'none'


def main():
    with open(sys.argv[1] + '/axe-core/axe.min.js', encoding='utf-8') as f:
        axe = f.read()
    b = View()
    try:
        for theme in ('light', 'dark'):
            for panel in ('sums', 'events', 'counters', 'flame', 'about'):
                b.show(f'file://{os.path.abspath(sys.argv[2])}#theme={theme}&panel={panel}')
                b.until("document.getElementById('panel').children.length")
                time.sleep(.3)
                print(f'{theme}, {panel}: {violations(b, axe)}')
        b.keys('?')
        print('keys:', violations(b, axe))
    finally:
        b.end()


main()
