#!/bin/busybox sh
# The guest's first process, in the initramfs that vmrun makes. vmrun leaves four files beside it:
# /modules (names, in loading order), /shared (directories, one per line, to be writable), /foreign
# (directories of the host that a root of another architecture gets, or nothing) and /command (a script
# for sh). Output goes through two virtio serial ports; a third one gets the line "STATUS t-init
# t-command t-end" (seconds of uptime), whose absence tells vmrun that the guest died.
/bin/busybox mkdir -p /proc /sys /dev /root /host
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sys /sys
/bin/busybox --install -s /bin
export PATH=/bin
read -r t_init rest </proc/uptime

while read -r module; do
	insmod "/$module" || echo "init: $module does not load" >/dev/console
done </modules

port() {
	for p in /sys/class/virtio-ports/*; do
		[ "$(cat "$p/name" 2>/dev/null)" != "$1" ] || echo "/dev/${p##*/}"
	done
}
n=0
while [ -z "$(port status)" ] && [ $n -lt 500 ]; do
	usleep 10000
	n=$((n + 1))
done
out=$(port out) err=$(port err) status=$(port status)
give_up() {
	echo "init: $*" >"${err:-/dev/console}"
	poweroff -f
}

mount -t virtiofs host /host || give_up "no virtiofs"
read_only() {	# DIRECTORY PLACE
	mkdir -p "$2"
	mount -o bind "$1" "$2"
	mount -o remount,bind,ro "$2"
}
# The host's root, read-only, becomes ours. In a machine of another architecture it is a folder of the
# host: mounted piece by piece into an empty root, so that places for the host's folders can be made.
if [ -s /foreign ]; then
	mkdir /parts
	mount -t virtiofs root /parts || give_up "no root of this architecture"
	mount -t tmpfs -o mode=755 tmpfs /root
	for d in usr var; do read_only /parts/$d /root/$d; done
	cp -a /parts/etc /root/etc # no package's script ran: the cache of the dynamic linker is made below
	for d in bin sbin lib lib64; do cp -P /parts/$d /root/$d; done
	echo guest >/root/etc/hostname
	mkdir /root/proc /root/sys /root/dev /root/tmp /root/run /root/root
	while read -r d; do read_only "/host$d" "/root$d"; done </foreign
else
	read_only /host /root
fi
# What programs write to is fresh and in memory.
for d in proc sys dev; do mount -o move /$d /root/$d; done
for d in tmp run var/tmp; do mount -t tmpfs tmpfs /root/$d; done
while read -r d; do
	mkdir -p "/root$d"
	mount -o bind "/host$d" "/root$d" || give_up "cannot share $d"
done </shared

ln -s /proc/self/fd /root/dev/fd
mkdir -p /root/dev/shm /root/dev/pts
mount -t devpts devpts /root/dev/pts
mount -t tmpfs tmpfs /root/dev/shm
for fs in tracefs:kernel/tracing debugfs:kernel/debug securityfs:kernel/security bpf:fs/bpf cgroup2:fs/cgroup; do
	mount -t ${fs%%:*} ${fs%%:*} /root/sys/${fs#*:} || echo "init: no ${fs%%:*}" >/dev/console
done
[ ! -s /foreign ] || chroot /root /sbin/ldconfig
ip link set lo up
hostname guest

cp /command /root/run/command
read -r t_command rest </root/proc/uptime
# As on a real machine the root is the root of the mount namespace too: user namespaces are not for those who
# are in a chroot (user_namespaces(7)). Our own / is below it now, what follows is found from here.
cd /root
mount -o move . /
# Each folder that lacks a program is a question to the host: most are in the first.
export HOME=/tmp TERM=dumb PATH=/usr/bin:/usr/sbin:/usr/local/bin:/usr/local/sbin
chroot . /bin/sh /run/command <dev/null >".$out" 2>".$err"
code=$?
read -r t_end rest <proc/uptime
echo "$code $t_init $t_command $t_end" >".$status"
poweroff -f
