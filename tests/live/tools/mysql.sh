# SPDX-License-Identifier: GPL-2.0-or-later
# Two queries on a MariaDB of its own in $TMP, as mysqlslower sees that server: all and --min 100.
d=$TMP/my
mkdir -p $d/data
mariadbd --no-defaults --datadir=$d/data --socket=$d/s --pid-file=$d/pid --skip-networking --skip-grant-tables \
	--user=root --innodb-buffer-pool-size=8M --innodb-log-file-size=4M >$d/log 2>&1 &
server=$!
for i in $(seq 200); do mariadb --no-defaults -S $d/s -e 'DO 0' 2>/dev/null && break; sleep 0.1; done
for o in "" "--min 100"; do
	"$SONDE" run -q mysqlslower --pid $server $o -c "mariadb --no-defaults -S $d/s -e 'SELECT 2 INTO @x; DO SLEEP(0.2)'" |
		grep "MS\|INTO\|SLEEP" | sed -E 's/ +/ /g; s/^[0-9:]{8} [0-9]+ [0-9]+ [0-9.]+ /TIME PID TID MS /'
done
kill $server
wait $server
