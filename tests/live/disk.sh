# SPDX-License-Identifier: GPL-2.0-or-later
# on_disk: goes to a folder of this test's own on a disk. In guests $TMP is memory: there it is on the scratch disk
# (vmrun --disk), which whoever comes first makes a file system on. (need: disk)
on_disk() {
	[ -n "$SONDE_VM" ] || { cd "$TMP"; return; }
	(
		flock 9
		mkdir -p /run/disk
		mountpoint -q /run/disk || { mkfs.ext4 -q -O ^has_journal /dev/vda && mount /dev/vda /run/disk; }
	) 9>/run/disk.lock && cd "$(mktemp -d /run/disk/XXXXXX)"
}
