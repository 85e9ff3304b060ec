#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""page.py PAGE: opens a page of -f html in Chromium, clicks, and prints what it shows. First the page as it is; then with
data of known numbers in it."""
import json
import os
import re
import sys
import tempfile
import time

import browser

EVIL = '</script><b>&amp;"\u00e9'
FRAMES = [[0, 'app 7', ''], [1, 'main', 'app'], [1, 'work<T>::run()', 'app'], [1, EVIL, 'libx.so'], [2, 'vfs_read', 'kernel'],
          [3, '[stack page not resident]', '']]
KNOWN = {'title': 'known', 'notes': 'lost 3 events <i>', 'profiles': [
    # app 7 -> main (10) -> work (50) -> EVIL (10) -> vfs_read (20); app 7 -> reason -> work (10)
    {'name': '@us', 'unit': 'us', 'left_out': 2, 'frames': FRAMES, 'parent': [0, 0, 1, 2, 3, 4, 1, 6],
     'frame': [0, 0, 1, 2, 3, 4, 5, 2], 'self': [0, 0, 10, 50, 10, 20, 0, 10]},
    {'name': '@bytes', 'unit': 'bytes', 'left_out': 0, 'frames': FRAMES[:2], 'parent': [0, 0, 1], 'frame': [0, 0, 1], 'self': [0, 0, 4096]}]}
FOLDED = 'app 7;main;work<T>::run() 10\napp 7;main;gone 30\n'


class Page(browser.Browser):
    def text(self, what):
        return self.run(f"document.getElementById('{what}').innerText")

    def frames(self):
        """Each frame of the graph: row, name, width in percent, marks."""
        return self.run("""[...document.querySelectorAll('#graph div')].map(e => [parseInt(e.style.top) / 17, e.textContent,
            Math.round(parseFloat(e.style.width) * 10) / 10, e.className.trim()].join(' ').trim())""")

    def rows(self, body='functions'):
        return self.run(f"[...document.querySelectorAll('#{body} tr')].map(r => [...r.cells].map(c => c.textContent).join(' | '))")


def frame(name):
    return f"//div[@id='graph']/div[starts-with(., '{name}')]"


def show(title, lines):
    print(f'{title}:')
    for line in [lines] if isinstance(lines, str) else lines:
        print('   ', line)


def real_page(b, page):
    b.open(page)
    show('title', re.sub(r'\d', 'N', b.text('title')))
    b.type("//*[@id='search']", 'heavy')
    found = float(b.text('found').split('%')[0])
    show('heavy', 'right' if 60 < found < 88 else str(found))
    b.click(frame('heavy'))
    show('zoomed', sorted({re.sub(r'[\d.]+', 'N', f) for f in b.frames() if f.split()[1] in ('main', 'turn', 'heavy')}))


def known_page(b, page, folder):
    with open(page, encoding='utf-8') as f:
        text = f.read()
    data = json.dumps(KNOWN).replace('<', '\\u003c')
    text = re.sub(r'(<script type="application/json" id="data">).*?(</script>)', lambda m: m[1] + data + m[2], text, flags=re.S)
    with open(folder + '/known.html', 'w', encoding='utf-8') as f:
        f.write(text)
    with open(folder + '/before.folded', 'w', encoding='utf-8') as f:
        f.write(FOLDED)
    with open(folder + '/picture.html', 'w', encoding='utf-8') as f:
        f.write('<p>no profile</p>')
    b.open(folder + '/known.html')
    show('graph', b.frames())
    show('functions', b.rows())
    show('incomplete', b.rows('reasons'))
    show('printed', b.text('notes'))
    show('elements made of names', str(b.run("document.querySelectorAll('b, i').length")))
    b.click("//th[starts-with(., 'total') and not(contains(., '%'))]")
    show('by total', b.rows())
    b.click("//th[.='function']")
    show('by name', b.rows())
    b.click("//tr[td[contains(., 'vfs_read')]]")
    show('search for a row', [b.text('found'), *[f for f in b.frames() if 'hit' in f]])
    b.clear("//*[@id='search']")
    b.type("//*[@id='search']", '/^(main|vfs_.*)$/')
    show('search by regex', [b.text('found'), *[f for f in b.frames() if 'hit' in f]])
    b.clear("//*[@id='search']")
    b.type("//*[@id='search']", '/(/')
    show('a bad regex', b.text('found'))
    b.clear("//*[@id='search']")
    b.type("//*[@id='search']", ' \ue003')
    b.click(frame('work'))
    show('zoom', [b.text('about'), *b.frames()])
    b.type('//body', '\ue00c')
    show('after Escape', b.frames()[:2])
    b.click("//*[@id='reverse']")
    show('reversed', b.frames())
    b.click("//*[@id='reverse']")
    b.type("//*[@id='other']", folder + '/before.folded')
    time.sleep(0.3)
    show('compared', b.frames())
    show('changes', [b.text('heads').replace('\t', ' | '), *b.rows()])
    b.click(frame('gone'))
    show('only before', b.text('about'))
    b.click("//*[@id='alone']")
    show('alone', b.frames()[:3])
    b.type("//*[@id='other']", folder + '/known.html')
    time.sleep(0.3)
    show('compared with itself', b.rows()[:2])
    b.click("//*[@id='which']/option[2]")
    show('the other map', [b.frames()[-1], b.text('about')])
    b.type("//*[@id='other']", folder + '/picture.html')
    time.sleep(0.3)
    show('compared with what is no profile', b.text('about'))


def main():
    b = Page()
    try:
        with tempfile.TemporaryDirectory() as folder:
            real_page(b, os.path.abspath(sys.argv[1]))
            known_page(b, sys.argv[1], folder)
            show('errors of the browser', b.errors() or 'none')
    finally:
        b.end()


main()
