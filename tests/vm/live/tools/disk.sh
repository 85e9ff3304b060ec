# SPDX-License-Identifier: GPL-2.0-or-later
# ext4 on a loop device, mounted at $TMP/disk. The module comes from the guest's kernel package.
. "$TOP/tests/live/tools/lib.sh"
cache=${SONDE_VMCACHE:-$(getent passwd 0 | cut -d: -f6)/.cache/sonde-vm}
module() {
	[ -d /sys/module/$1 ] && return
	local ko=$(find "$cache/kernels/$(uname -r)/modules" -name "$1.ko*" | head -1)
	case $ko in
	*.xz) xz -dc "$ko" >$TMP/$1.ko ;;
	*) cp "$ko" $TMP/$1.ko ;;
	esac
	busybox insmod $TMP/$1.ko
}
module loop
truncate -s 32M $TMP/image
mkfs.ext4 -q $TMP/image
mkdir $TMP/disk
mount -o loop $TMP/image $TMP/disk || exit 99
trap 'cd /; umount $TMP/disk' EXIT
