# SPDX-License-Identifier: GPL-2.0-or-later
"""text.py OTHER TARGET: whether the code of libc in these processes differs from the file."""
import sys


def differs(pid):
    for line in open(f"/proc/{pid}/maps"):
        words = line.split()
        if "x" in words[1] and "libc" in line and len(words) > 5:
            start, end = (int(n, 16) for n in words[0].split("-"))
            with open(f"/proc/{pid}/mem", "rb") as mem, open(words[5], "rb") as file:
                mem.seek(start)
                file.seek(int(words[2], 16))
                return mem.read(end - start) != file.read(end - start)
    sys.exit(f"{pid} has no libc")


for name, pid in zip(("other", "target"), sys.argv[1:]):
    print(name, "has breakpoints" if differs(int(pid)) else "has none")
