# SPDX-License-Identifier: GPL-2.0-or-later
"""A program in a terminal: types keys, and reads the screen as a person does. As much of ECMA-48 as sonde tui sends."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

KEYS = {'up': '\x1b[A', 'down': '\x1b[B', 'right': '\x1b[C', 'left': '\x1b[D', 'home': '\x1b[H', 'end': '\x1b[F', 'pgup': '\x1b[5~', 'pgdn': '\x1b[6~',
        'esc': '\x1b', 'enter': '\r', 'tab': '\t', 'back': '\x7f', 'clear': '\x15'}
SLOW = int(os.environ.get('SLOW', '1'))


class Terminal:
    def __init__(self, command, rows=24, columns=80, **environment):
        self.rows, self.columns, self.status = rows, columns, None
        self.sent = b''
        self.pid, self.fd = pty.fork()
        if not self.pid:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
            env = {**os.environ, 'TERM': 'xterm-256color', 'LC_ALL': 'C.UTF-8', **environment}
            os.execvpe(command[0], command, env)
        self.clear()

    def clear(self):
        self.cells = [[' '] * self.columns for _ in range(self.rows)]
        self.styles = [[''] * self.columns for _ in range(self.rows)]
        self.y = self.x = 0
        self.style, self.rest = '', ''

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.clear()
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))

    def sequence(self, arguments, letter):
        if letter == 'H':
            y, self.x = (int(n) - 1 for n in (arguments or '1;1').split(';'))
            self.y = min(y, self.rows - 1)  # of a picture for a larger window
        elif letter == 'K':
            for x in range(min(self.x, self.columns), self.columns):
                self.cells[self.y][x], self.styles[self.y][x] = ' ', ''
        elif letter == 'J':
            self.cells = [[' '] * self.columns for _ in range(self.rows)]
            self.styles = [[''] * self.columns for _ in range(self.rows)]
        elif letter == 'm':
            self.style = '' if arguments == '0' else arguments
        elif letter not in 'hl':
            raise ValueError(f'sequence {arguments}{letter}')

    def feed(self, text):
        text = self.rest + text
        self.rest = ''
        while text:
            found = re.match(r'\x1b\[([0-9;?]*)([A-Za-z])', text)
            if found:
                self.sequence(*found.groups())
                text = text[found.end():]
                continue
            if text[0] == '\x1b' and len(text) < 16:
                self.rest = text
                return
            if text[0] < ' ':
                assert text[0] in '\r\n', repr(text[:20])
            elif self.x < self.columns and self.y < self.rows:
                self.cells[self.y][self.x], self.styles[self.y][self.x] = text[0], self.style
                self.x += 1
            text = text[1:]

    def read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b''
        if not data:
            if self.status is None:
                self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            return False
        self.sent += data
        self.feed(data.decode(errors='replace'))
        return True

    def lines(self):
        return [''.join(row).rstrip() for row in self.cells]

    def chosen(self):
        """The first reversed line."""
        return next((line for line, styles in zip(self.lines(), self.styles) if styles[1] == '7'), '')

    def until(self, what, seconds=8):
        """Waits for a pattern on the screen, or for a condition."""
        condition = what if callable(what) else lambda: re.search(what, '\n'.join(self.lines()))
        end = time.monotonic() + seconds * SLOW
        while True:
            while self.read(.02): # a picture may come in parts
                pass
            if condition():
                return
            if time.monotonic() > end or self.status is not None:
                raise SystemExit(f'not seen: {what}, status {self.status}\n' + '\n'.join(self.lines()))

    def type(self, *keys):
        for key in keys:
            os.write(self.fd, KEYS.get(key, key).encode())

    def wait(self, seconds=20):
        end = time.monotonic() + seconds * SLOW
        while self.status is None and time.monotonic() < end:
            self.read(.05)
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
        return self.status
