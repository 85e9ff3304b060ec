#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tls.py DIR: a line there and one back through TLS, between two threads; the key is made in DIR."""
import socket, ssl, subprocess, sys, threading

d = sys.argv[1]
here, there = socket.socketpair()


def serve():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(d + '/cert', d + '/key')
    with context.wrap_socket(there, server_side=True) as s:
        s.recv(100)
        s.sendall(b'and hello from the server')
        s.recv(100)


server = threading.Thread(target=serve)
server.start()
context = ssl.create_default_context()
context.check_hostname = False
context.verify_mode = ssl.CERT_NONE
with context.wrap_socket(here) as s:
    s.sendall(b'hello from the client')
    s.recv(100)
server.join()
