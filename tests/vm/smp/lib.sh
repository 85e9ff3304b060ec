# SPDX-License-Identifier: GPL-2.0-or-later
# For tests whose `run:` begins with `. ./lib.sh`: crowd.c, built, with a worker for each CPU.
. "$TOP/tests/live/built.sh"
W=$TMP/crowd N=$(nproc)
built gcc -o "$W" -O1 -g -static -pthread -w crowd.c || exit 99
# crowd JOB TIMES [sonde options]: traces exactly that process tree
crowd() { local job="$1 $N $2"; shift 2; "$SONDE" -q --follow -c "$W $job" "$@" 2>&1; }
# others: the same calls all the time, by processes that nobody asked for, until quiet
others() { for ((i = 0; i < (N + 1) / 2; i++)); do "$W" until $TMP/enough & done; }
quiet() { touch $TMP/enough; wait; }
