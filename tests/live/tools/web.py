#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Three requests to a server of its own: found, not found, and one that takes 150 ms."""
import http.server, threading, time, urllib.error, urllib.request


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path.startswith('/slow'):
            time.sleep(0.15)
        self.send_response(200 if self.path != '/none' else 404)
        self.end_headers()
        self.wfile.write(b'hello')

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
for path in '/found?x=1', '/none', '/slow/one':
    try:
        urllib.request.urlopen('http://127.0.0.1:%d%s' % (server.server_port, path)).read()
    except urllib.error.HTTPError:
        pass
server.shutdown()
