# SPDX-License-Identifier: GPL-2.0-or-later
# For uprobe-where-files-are.in: a mount namespace in which $1/prog is another file than outside.
mount -t tmpfs t "$1/h"
cp "$2" "$1/h/prog"
mount --bind "$1/h/prog" "$1/prog"
exec "$1/prog"
