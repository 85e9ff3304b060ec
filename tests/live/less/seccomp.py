"""seccomp.py ERRNO CALL,CALL COMMAND...: runs COMMAND with these system calls (numbers) refused by a seccomp filter."""
import ctypes, os, struct, sys
def stmt(code, k, jt=0, jf=0): return struct.pack('HBBI', code, jt, jf, k)
calls = [int(n) for n in sys.argv[2].split(',')]
f = stmt(0x20, 0)
for i, n in enumerate(calls): f += stmt(0x15, n, len(calls) - i, 0)
f += stmt(0x06, 0x7fff0000) + stmt(0x06, 0x00050000 | int(sys.argv[1]))
buf = ctypes.create_string_buffer(f)
prog = ctypes.create_string_buffer(struct.pack('HxxxxxxQ', len(f)//8, ctypes.addressof(buf)))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.c_ulong(ctypes.addressof(prog)), 0, 0): sys.exit('seccomp: ' + os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[3], sys.argv[3:])
