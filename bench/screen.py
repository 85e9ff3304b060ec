# SPDX-License-Identifier: GPL-2.0-or-later
"""A screen of Xvfb: when its picture changes, and what the processes that draw it take. The picture is read from the file that Xvfb maps, so
looking costs the watched program nothing but a few ms of the processor."""
import mmap
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
import zlib

WIDTH, HEIGHT = 1200, 900
STILL, POLL = 1.0, .008
TICK = os.sysconf('SC_CLK_TCK')


def below(root):
    """The process and its descendants."""
    parents = {}
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/stat', encoding='utf-8', errors='replace') as f:
                parents[int(pid)] = int(f.read().rsplit(')', 1)[1].split()[1])
        except OSError:
            continue
    found, last = {root}, 0
    while len(found) != last:
        last = len(found)
        found |= {pid for pid, parent in parents.items() if parent in found}
    return found


def read(path):
    try:
        with open(path, encoding='utf-8', errors='replace') as f:
            return f.read()
    except OSError:
        return ''  # it has ended


def cpu_time(pids):
    """Seconds of all of them."""
    parts = [read(f'/proc/{pid}/stat').rsplit(')', 1)[-1].split() for pid in pids]
    return sum(int(p[11]) + int(p[12]) for p in parts if len(p) > 12) / TICK


def memory(pids):
    """MB: the sum of their resident sizes, and the same with shared pages divided among those that share them."""
    found = [re.search(r'^Rss:\s+(\d+)(?s:.*?)^Pss:\s+(\d+)', read(f'/proc/{pid}/smaps_rollup'), re.M) for pid in pids]
    return [sum(int(f[i]) for f in found if f) / 1024 for i in (1, 2)]


class Screen:
    def __init__(self):
        self.folder = tempfile.mkdtemp()
        os.chmod(self.folder, 0o755)
        r, w = os.pipe()
        self.server = subprocess.Popen(['Xvfb', '-displayfd', str(w), '-screen', '0', f'{WIDTH}x{HEIGHT}x24', '-fbdir', self.folder, '-nolisten', 'tcp'],
                                       pass_fds=[w], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(w)
        with os.fdopen(r) as f:
            self.name = ':' + f.readline().strip()
        self.file = open(os.path.join(self.folder, 'Xvfb_screen0'), 'rb')  # pylint: disable=consider-using-with
        self.map = mmap.mmap(self.file.fileno(), 0, prot=mmap.PROT_READ)
        self.hand = subprocess.Popen(['xdotool', '-'], stdin=subprocess.PIPE, env={**os.environ, 'DISPLAY': self.name}, text=True, stderr=subprocess.DEVNULL)

    def end(self):
        self.hand.stdin.close()
        self.hand.wait(10)
        self.server.terminate()
        self.server.wait(10)
        shutil.rmtree(self.folder)

    def now(self, height=HEIGHT):
        """A checksum of the upper part."""
        with memoryview(self.map) as m, m[:len(m) - (HEIGHT - height) * WIDTH * 4] as part:
            return zlib.adler32(part)

    def do(self, *commands):
        """Commands of xdotool, by one process that stays."""
        self.hand.stdin.write('\n'.join(commands) + '\n')
        self.hand.stdin.flush()

    def settle(self, roots, start, limit, most=None, height=HEIGHT):
        """Seconds from start to the last change of the upper part, and of all, after which nothing changed for a second in which the processes did
        next to nothing; or None. Keeps the most memory of each process of roots and what is below it in the dictionary most."""
        last = upper = start
        picture, part, looked, used = self.now(), self.now(height), 0, []
        while time.monotonic() - start < limit:
            time.sleep(POLL)
            now = time.monotonic()
            if self.now() != picture:
                last, picture = now, self.now()
                if self.now(height) != part:
                    upper, part = now, self.now(height)
            if now - looked < .2:
                continue
            looked = now
            trees = {root: below(root) for root in roots}
            for root in roots if most is not None else []:
                most[root] = [max(pair) for pair in zip(most.get(root, [0, 0]), memory(trees[root]))]
            used = [u for u in used if now - u[0] < STILL] + [(now, cpu_time(set().union(*trees.values())))]
            if now - last > STILL and now - start > STILL and used[-1][1] - used[0][1] < .15 * STILL and used[-1][0] - used[0][0] > .7 * STILL:
                return upper - start, last - start
        return None

    def zooms(self, height, n=10, still=.4, limit=20):
        """ms from a step of the wheel to the last change of the upper part, n in and n out: of each; those without a change are left out."""
        took = []
        for step in ['click --delay 0 4'] * n + ['click --delay 0 5'] * n:
            before, start = self.now(height), time.monotonic()
            last = start
            self.do(step)
            while time.monotonic() - last < still and time.monotonic() - start < limit:
                time.sleep(.002)
                now = self.now(height)
                if now != before:
                    before, last = now, time.monotonic()
            if last > start:
                took.append((last - start) * 1000)
        return took

    def frames(self, height, seconds=3, rate=30):
        """Zooms in and out for some seconds with a step of the wheel each 1/rate s: pictures a second, looked at 60 times a second, and how long
        the last change comes after the last step, s."""
        start, seen, steps, before = time.monotonic(), 0, 0, self.now(height)
        while (now := time.monotonic()) - start < seconds:
            if (now - start) * rate > steps:
                self.do(f'click --delay 0 {4 + steps // 15 % 2}')
                steps += 1
            picture = self.now(height)
            seen += picture != before
            before = picture
            time.sleep(max(0, 1 / 60 - (time.monotonic() - now)))
        end = last = time.monotonic()
        while time.monotonic() - last < 1 and time.monotonic() - end < 30:
            time.sleep(.004)
            if self.now(height) != before:
                before, last = self.now(height), time.monotonic()
        return seen / seconds, last - end

    def resize(self, name):
        """The windows of that class fill the screen: there is no window manager."""
        subprocess.run(['xdotool', 'search', '--onlyvisible', '--class', name, 'windowsize', '%@', str(WIDTH), str(HEIGHT)], check=True, timeout=10,
                       env={**os.environ, 'DISPLAY': self.name})


def summary(took):
    return f'{statistics.median(took):.0f} ms, {max(took):.0f} ms at most' if took else 'nothing changed'
