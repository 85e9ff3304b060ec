# SPDX-License-Identifier: GPL-2.0-or-later
# pg_run QUERY...: each of them, on a server of its own in $TMP, as pgslower sees that server: all and --min 100.
pg_run() {
	local bin=$(ls -d /usr/lib/postgresql/*/bin | tail -1) d=$(mktemp -d /tmp/sonde-pg.XXXXXX) as="setpriv --reuid postgres --regid postgres --clear-groups"
	chown postgres $d
	$as $bin/initdb -D $d/data -A trust >/dev/null 2>&1
	$as $bin/pg_ctl -w -D $d/data -o "-k $d -c listen_addresses=" -l $d/log start >/dev/null
	printf '%s;\n' "$@" >$TMP/queries
	cat >$TMP/ask <<-END
		psql -h $d -U postgres -q -c "\$(sed -n 1p $TMP/queries)" -c "\$(sed -n 2p $TMP/queries)" >/dev/null
	END
	for o in "" "--min 100"; do
		"$SONDE" run -q -B line pgslower $o -c "sh $TMP/ask" | grep "MS\|SELECT" | sed -E 's/ +/ /g; s/^[0-9:]{8} [0-9]+ [0-9.]+ /TIME PID MS /'
	done
	$as $bin/pg_ctl -D $d/data -m immediate stop >/dev/null
	rm -rf $d
}
