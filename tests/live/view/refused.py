#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""refused.py SONDE FILE: asks sonde view for what it must not answer."""
import signal
import socket
import subprocess
import sys
import time


def ask(port, text):
    """The status of the answer, or closed."""
    with socket.create_connection(('127.0.0.1', port), timeout=10) as s:
        try:
            s.sendall(text)
            return s.recv(65536)
        except (BrokenPipeError, ConnectionResetError):  # closed before all was read
            return b''


def status(port, line, host='127.0.0.1:%d'):
    head = f'Host: {host % port if "%d" in host else host}\r\n' if host else ''
    got = ask(port, f'{line} HTTP/1.1\r\n{head}\r\n'.encode())
    return got.split()[1].decode() if got else 'closed'


def main():
    sonde, file = sys.argv[1:]
    server = subprocess.Popen([sonde, 'view', file], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    url = server.stdout.readline().strip()
    port, token = int(url.split(':')[2].split('/')[0]), url.split('/')[3]
    other = ('0' if token[0] != '0' else '1') + token[1:]
    while status(port, f'GET /{token}/tile?level=0&index=0') == '202' or b'"isDone":false' in ask(
            port, f'GET /{token}/info HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n'.encode()):
        time.sleep(.05)
    for name, line, host in (('the page', f'GET /{token}/', 'localhost:%d'), ('without the token', 'GET /', '127.0.0.1:%d'),
                             ('with another token', f'GET /{other}/info', '127.0.0.1:%d'), ('by another name', f'GET /{token}/info', 'example.org:%d'),
                             ('without a name', f'GET /{token}/info', ''), ('POST', f'POST /{token}/info', '127.0.0.1:%d'),
                             ('what there is not', f'GET /{token}/../etc/passwd', '127.0.0.1:%d'),
                             ('a tile that there is not', f'GET /{token}/tile?level=2&index=99999', '127.0.0.1:%d'), ('no request', 'nonsense', '127.0.0.1:%d'),
                             ('a long one', f'GET /{token}/{"x" * 9000}', '127.0.0.1:%d'), ('still there', f'GET /{token}/info', '127.0.0.1:%d')):
        print(f'{name}: {status(port, line, host)}')
    with open('/proc/net/tcp', encoding='ascii') as f:
        listening = [line.split()[1] for line in f if line.split()[3] == '0A' and line.split()[1].endswith(f':{port:04X}')]
    print('on 127.0.0.1 only:', 'right' if listening == [f'0100007F:{port:04X}'] else listening)
    head = ask(port, f'GET /{token}/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n'.encode()).split(b'\r\n\r\n')[0].decode()
    policy = next(line for line in head.split('\r\n') if line.startswith('Content-Security-Policy'))
    print('policy:', 'right' if "default-src 'none'" in policy and "connect-src 'self'" in policy and 'unsafe' not in policy else policy)
    server.send_signal(signal.SIGINT)
    print('ends with SIGINT:', server.wait(10))


main()
