# SPDX-License-Identifier: GPL-2.0-or-later
# What pid-namespace.in runs in a pid namespace of its own: F is family.c's program, TMP and SONDE are the test's.
"$SONDE" -q --follow -c "$F $TMP/pids 20" "$TMP/ns.bt" >"$TMP/out"
"$F" "$TMP/q" 20 alone "$TMP/gate" &
echo $! >"$TMP/pid"
"$SONDE" -p $! "$TMP/ns.bt" >"$TMP/out2" 2>"$TMP/err" &
until grep -q Attached "$TMP/err"; do sleep 0.05; done
touch "$TMP/gate"
wait
"$SONDE" -q -p $$ -e 'iter:task { }' 2>&1 | head -1
