# SPDX-License-Identifier: GPL-2.0-or-later
"""bench/view --peers: one recording in sonde view, KernelShark and speedscope, each on a screen of Xvfb, seen as a person sees it: by its pixels."""
import base64
import os
import shutil
import subprocess
import tempfile
import time

from page import View
from screen import HEIGHT, WIDTH, Screen, memory, below, summary

LIMIT = 180
ABSENT = 'Trace Compass: skipped, neither Debian nor npm has it'


def say(tool, what, figure):
    print(f'  {tool:12} {what:32} {figure}', flush=True)


def say_memory(tool, what, pair):
    say(tool, what, f'{pair[0]:.0f} MB resident, {pair[1]:.0f} MB with shared pages counted once')


def say_picture(tool, took):
    say(tool, 'complete picture', f'{took[0]:.2f} s, with what is below it {took[1]:.2f} s')


def say_zooms(screen, tool, y, height, ctrl=False):
    """With the mouse at a row of the screen; the time line ends above another one. In some the wheel zooms with Ctrl."""
    screen.do(f'mousemove {WIDTH // 2} {y}', *['keydown ctrl'] * ctrl)
    time.sleep(1)
    say(tool, 'a zoom until it is drawn', summary(screen.zooms(height)))
    rate, late = screen.frames(height)
    say(tool, 'frames while zooming', f'{rate:.0f} a second of 30 steps, the last {late * 1000:.0f} ms after the last step')
    screen.do(*['keyup ctrl'] * ctrl)


def export(sonde, to, file, out):
    start = time.monotonic()
    subprocess.run([sonde, 'export', '--to', to, '-o', out, file], check=True, stderr=subprocess.DEVNULL, timeout=LIMIT)
    return f'{time.monotonic() - start:.2f} s, {os.path.getsize(out) / 1e6:.1f} MB'


def is_true(b, condition):
    try:
        return b.run(condition)
    except (OSError, TimeoutError):
        return False  # a page that works does not answer


def browse(screen, tool, url, drawn, height=HEIGHT, serve=None):
    """A browser that waits opens what serve() starts, or url; drawn: what is true in a page with a picture."""
    b, server, most = View(display=screen.name), None, {}
    try:
        b.call('/url', {'url': 'about:blank'})
        screen.settle([b.driver.pid], time.monotonic(), 20)
        say_memory(tool, 'the browser without a page', memory(below(b.driver.pid)))
        start = time.monotonic()
        if serve:
            server = serve()
            url = server.stdout.readline().split()[-1]
        b.call('/url', {'url': url})
        roots = [b.driver.pid] + ([server.pid] if server else [])
        took = screen.settle(roots, start, LIMIT, most, height)
        while took and not is_true(b, drawn):  # it reads, and nothing moves
            took = screen.settle(roots, start, LIMIT, most, height)
        if took:
            say_picture(tool, took)
            if server:  # on the row "Processors": details of what is at the mouse come later than the picture
                say_zooms(screen, tool, b.at('lanes', 0, 10)['y'], height)
            else:
                say_zooms(screen, tool, 400, height, True)
            screen.settle(roots, time.monotonic(), 10, most)
        else:
            say(tool, 'complete picture', f'none in {LIMIT} s')
        say_memory(tool, 'most memory: browser and page', most[b.driver.pid])
        if server:
            say_memory(tool, 'most memory: server', most[server.pid])
            say_memory(tool, 'together', [a + b for a, b in zip(*most.values())])
    finally:
        if server:
            server.terminate()
            server.wait(10)
        b.end()


def sonde_view(screen, sonde, file):
    browse(screen, 'sonde view', '', 'sondeView.picture.took.length', 450, lambda: subprocess.Popen([sonde, 'view', file], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True))


def kernelshark(screen, sonde, file, folder):
    tool, data, home = 'KernelShark', os.path.join(folder, 'x.dat'), os.path.join(folder, 'home')
    say(tool, 'export --to trace.dat', export(sonde, 'trace.dat', file, data))
    os.makedirs(home, exist_ok=True)
    user = []
    if not os.getuid():  # as root it asks whether to go on
        user = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
        os.chown(home, 65534, 65534)
        os.chmod(data, 0o644)
    environment, most = {**os.environ, 'HOME': home, 'DISPLAY': screen.name, 'XDG_RUNTIME_DIR': home}, {}
    for what, words in (('window without a recording', []), ('complete picture', ['-i', data])):
        start = time.monotonic()
        shark = subprocess.Popen([*user, 'kernelshark', *words], env=environment, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            most.clear()
            took = screen.settle([shark.pid], start, LIMIT, most, 250)
            if took and words:
                say_picture(tool, took)
            else:
                say(tool, what, f'{took[1]:.2f} s' if took else f'none in {LIMIT} s')
            if took and words:
                screen.resize('kernelshark')
                screen.settle([shark.pid], time.monotonic(), 20, most)
                say_zooms(screen, tool, 170, 250, True)
                screen.settle([shark.pid], time.monotonic(), 10, most)
            say_memory(tool, 'most memory', most[shark.pid])
        finally:
            shark.terminate()
            shark.wait(10)


def speedscope(screen, sonde, file, folder, page):
    tool, events, script = 'speedscope', os.path.join(folder, 'x.json'), os.path.join(folder, 'x.js')
    say(tool, 'export --to chrome', export(sonde, 'chrome', file, events))
    with open(events, 'rb') as f, open(script, 'w', encoding='ascii') as to:
        to.write(f"speedscope.loadFileFromBase64('x.json', '{base64.b64encode(f.read()).decode()}')")
    browse(screen, tool, f'file://{os.path.abspath(page)}/dist/release/index.html#localProfilePath={script}', "document.body.innerText.includes('Time Order')")


def run(sonde, make, sizes, page):
    lacking = [p for p in ('Xvfb', 'xdotool', 'chromedriver') if not shutil.which(p)]
    if lacking:
        print(f'peers: skipped, they need {", ".join(lacking)} (Debian: xvfb xdotool chromium-driver)')
        return
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            file = os.path.join(folder, 'x.data')
            n = make(file, size)
            print(f'{n} events, {os.path.getsize(file) / 1e6:.1f} MB', flush=True)
            screen = Screen()
            try:
                sonde_view(screen, sonde, file)
                if shutil.which('kernelshark'):
                    kernelshark(screen, sonde, file, folder)
                else:
                    print('  KernelShark: skipped, it is not installed (Debian: kernelshark)')
                if page:
                    speedscope(screen, sonde, file, folder, page)
                else:
                    print('  speedscope: skipped, --speedscope=FOLDER names the folder of its npm package')
            finally:
                screen.end()
    print(ABSENT)
