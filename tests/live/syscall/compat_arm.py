#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""compat_arm.py FILE: writes a program of 32-bit ARM (EABI) for arm64 kernels, which no compiler is needed for:
5 calls number 64 (getppid there, write here), 2 calls number 4 (write there, io_getevents here), exit(0)."""
import os
import struct
import sys

CODE = [
    0xe3a04005,  # _start: mov r4, #5
    0xe3a07040,  # 1:      mov r7, #64
    0xef000000,  #         svc #0
    0xe2544001,  #         subs r4, r4, #1
    0x1afffffb,  #         bne 1b
    0xe3a04002,  #         mov r4, #2
    0xe3e00000,  # 2:      mvn r0, #0
    0xe3a01000,  #         mov r1, #0
    0xe3a02000,  #         mov r2, #0
    0xe3a07004,  #         mov r7, #4
    0xef000000,  #         svc #0
    0xe2544001,  #         subs r4, r4, #1
    0x1afffff8,  #         bne 2b
    0xe3a00000,  #         mov r0, #0
    0xe3a07001,  #         mov r7, #1
    0xef000000,  #         svc #0
]
BASE, HEAD = 0x10000, 52 + 32
EM_ARM, EABI5 = 40, 0x05000000


def main():
    code = struct.pack(f'<{len(CODE)}I', *CODE)
    size = HEAD + len(code)
    ehdr = b'\x7fELF\x01\x01\x01' + bytes(9) + struct.pack(
        '<HHIIIIIHHHHHH', 2, EM_ARM, 1, BASE + HEAD, 52, 0, EABI5, 52, 32, 1, 40, 0, 0)
    load = struct.pack('<IIIIIIII', 1, 0, BASE, BASE, size, size, 5, 0x1000)
    with open(sys.argv[1], 'wb') as f:
        f.write(ehdr + load + code)
    os.chmod(sys.argv[1], 0o755)


main()
