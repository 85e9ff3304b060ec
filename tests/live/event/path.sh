# SPDX-License-Identifier: GPL-2.0-or-later
# A program that reads files in directories, in a mount, in none, and removed ones, and says what /proc calls them.
D=$(mktemp -d)
trap 'rm -rf $D' EXIT
mkdir -p $D/a/b
cat >$D/reads.py <<-END
	import os, socket
	os.chdir('$D/a')
	r, w = os.pipe()
	os.write(w, b'x')
	a, b = socket.socketpair()
	os.write(a.fileno(), b'x')
	memory = os.memfd_create('memory')
	gone = os.open('gone', os.O_RDWR | os.O_CREAT)
	os.unlink('gone')
	deep = os.open('b/' + 'n' * 200, os.O_RDWR | os.O_CREAT)
	files = [r, b.fileno(), memory, gone, deep, os.eventfd(1), os.open('/proc/self/stat', os.O_RDONLY), os.open('/dev/null', os.O_RDONLY)]
	names = [os.readlink('/proc/self/fd/%d' % f) for f in files]
	comm = os.open('/proc/self/comm', os.O_WRONLY)
	os.write(comm, b'reads')
	for f in files:
	    os.read(f, 8)
	os.write(comm, b'done')
	for n in names:
	    print(n)
END
