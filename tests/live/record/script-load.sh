# SPDX-License-Identifier: GPL-2.0-or-later
# Files, processes and signals, in $PWD.
cat /etc/hostname /nonexistent
cp /etc/hostname x1; mv x1 x2; sync x2; rm x2
sleep 0.01; bash -c 'exit 3'
(sleep 5) & kill -TERM $!; wait
