#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""progs.py ID...: says whether the BPF programs with these ids still exist (asks bpf(2) itself)."""
import ctypes
import os
import platform
import struct
import sys
import time

NUMBER = {'x86_64': 321, 'aarch64': 280}[platform.machine()]
GET_FD_BY_ID = 13
libc = ctypes.CDLL(None, use_errno=True)


def exists(prog_id):
    attr = ctypes.create_string_buffer(struct.pack('III', prog_id, 0, 0), 128)
    fd = libc.syscall(NUMBER, GET_FD_BY_ID, attr, 128)
    if fd >= 0:
        os.close(fd)
    return fd >= 0


ids = [int(word) for word in sys.argv[1:]]
print('there were programs' if ids else 'there were no programs')
for _ in range(50):
    left = [i for i in ids if exists(i)]
    if not left:
        break
    time.sleep(0.1)
print(f'left: {left}' if left else 'they are gone')
