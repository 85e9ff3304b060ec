# One connection on the loopback, IPv4 and IPv6, closed by both; and one to a port where nobody listens.
import os
import socket
import sys

for family, address in ((socket.AF_INET, '127.0.0.1'), (socket.AF_INET6, '::1')):
    server = socket.create_server((address, 7001), family=family, backlog=5)
    if os.fork():
        client = socket.create_connection((address, 7001))
        client.sendall(b'x' * 5000)
        client.close()
        os.wait()
    else:
        peer, _ = server.accept()
        while peer.recv(100000):
            pass
        peer.close()
        sys.exit()
    server.close()
    try:
        socket.create_connection((address, 7002))
    except OSError:
        pass
