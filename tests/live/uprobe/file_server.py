# SPDX-License-Identifier: GPL-2.0-or-later
# file_server.py PROGRAM FOLDER HANG: a file system in FOLDER (fuse) that shows PROGRAM under every name that begins with "p". While
# the file HANG exists it answers no opening and no reading, as a server does that is out of reach, and prints "waits" for each.
import ctypes, errno, os, select, stat, struct, sys

program, folder, hang = sys.argv[1:4]
data = open(program, 'rb').read()
LOOKUP, FORGET, GETATTR, OPEN, READ, INIT, OPENDIR, INTERRUPT, BATCH_FORGET = 1, 2, 3, 14, 15, 26, 27, 36, 42
HEADER = struct.Struct('IIQQIIII')
libc = ctypes.CDLL(None, use_errno=True)
fd = os.open('/dev/fuse', os.O_RDWR)
options = 'fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other' % fd
if libc.mount(b'test', folder.encode(), b'fuse', 0, options.encode()):
    sys.exit('file_server: ' + os.strerror(ctypes.get_errno()))
names, waiting = {}, []


def attributes(node):
    mode, size = (stat.S_IFDIR | 0o755, 0) if node == 1 else (stat.S_IFREG | 0o755, len(data))
    return struct.pack('6Q10I', node, size, 0, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def lookup(name):
    if not name.startswith(b'p'):
        return None
    node = names.setdefault(name, len(names) + 2)
    return struct.pack('4Q2I', node, 0, 0, 0, 0, 0) + attributes(node)


def answer(code, node, body):
    """Bytes, or None: there is no such thing."""
    if code == INIT:
        return struct.pack('4I2H2I2H8I', 7, 31, 0, 0, 0, 0, 4096, 1, 1, 0, *[0] * 8)
    if code == LOOKUP:
        return lookup(body.rstrip(b'\0'))
    if code == GETATTR:
        return struct.pack('QII', 0, 0, 0) + attributes(node)
    if code in (OPEN, OPENDIR):
        return struct.pack('QII', 0, 0, 0)
    if code == READ:
        _, at, size = struct.unpack_from('QQI', body)
        return data[at:at + size]
    return b'' if code in (18, 25, 29) else None


def reply(unique, code, node, body):
    out = answer(code, node, body)
    error = 0 if out is not None else -errno.ENOENT if code == LOOKUP else -errno.ENOSYS
    try:
        os.write(fd, struct.pack('IiQ', 16 + len(out or b''), error, unique) + (out or b''))
    except OSError:
        pass  # who asked is gone


print('serves', flush=True)
while True:
    ready = select.select([fd], [], [], 0.02)[0]
    if waiting and not os.path.exists(hang):
        for request in waiting:
            reply(*request)
        waiting = []
    if not ready:
        continue
    try:
        request = os.read(fd, 1 << 20)
    except OSError as e:
        if e.errno == errno.ENODEV:
            break
        continue
    _, code, unique, node, *_ = HEADER.unpack_from(request)
    if code in (FORGET, BATCH_FORGET, INTERRUPT):
        continue
    if code in (OPEN, READ) and os.path.exists(hang):
        waiting.append((unique, code, node, request[HEADER.size:]))
        print('waits', flush=True)
    else:
        reply(unique, code, node, request[HEADER.size:])
