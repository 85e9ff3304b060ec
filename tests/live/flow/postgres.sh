# SPDX-License-Identifier: GPL-2.0-or-later
# pg_start: a server of its own in $PGDIR until the shell ends, and its process in $SERVER; pg PROGRAM...: as a client of it.
pg_start() {
	PGBIN=$(ls -d /usr/lib/postgresql/*/bin | tail -1) PGDIR=$(mktemp -d /tmp/sonde-pg.XXXXXX) PGAS="setpriv --reuid postgres --regid postgres --clear-groups"
	chown postgres $PGDIR
	trap pg_stop EXIT
	$PGAS $PGBIN/initdb -D $PGDIR/data -A trust >/dev/null 2>&1
	$PGAS $PGBIN/pg_ctl -w -D $PGDIR/data -o "-F -k $PGDIR -c listen_addresses=" -l $PGDIR/log start >/dev/null
	SERVER=$(head -1 $PGDIR/data/postmaster.pid)
}
pg() {
	local program=$1
	shift
	$PGBIN/$program -h $PGDIR -U postgres "$@" postgres
}
pg_stop() {
	(cd / && $PGAS $PGBIN/pg_ctl -D $PGDIR/data -m immediate stop >/dev/null)
	rm -rf $PGDIR
}
