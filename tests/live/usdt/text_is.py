# SPDX-License-Identifier: GPL-2.0-or-later
"""text_is.py PID FILE: whether the code of FILE in the memory of PID is that of the file."""
import os
import sys

pid, path = sys.argv[1], os.path.realpath(sys.argv[2])
for line in open(f'/proc/{pid}/maps'):
    words = line.split()
    if words[-1] == path and 'x' in words[1]:
        start, end = (int(x, 16) for x in words[0].split('-'))
        with open(f'/proc/{pid}/mem', 'rb') as memory, open(path, 'rb') as file:
            memory.seek(start)
            file.seek(int(words[2], 16))
            have, want = memory.read(end - start), file.read(end - start)
        print('as in the file' if have[:len(want)] == want else 'changed')
