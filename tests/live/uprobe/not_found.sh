# SPDX-License-Identifier: GPL-2.0-or-later
. ../built.sh
built g++ -g -O1 cxx_names.cpp -o "$TMP/names" && built gcc -O0 lines.c -o "$TMP/lines" && cd "$TMP" && strip -o stripped lines || exit
for probe in uprobe:./lines:othre uprobe:./lines:shared uprobe:./stripped:sum usdt:./lines:nothing uprobe::sum \
	uprobe:./lines@lines.c:many uprobe:./names:twice uprobe:./names:geo::area 'uprobe:./names:cpp:"geo::aera"'; do
	"$SONDE" -q -e "$probe { }" 2>&1 | sed -n "s,$PWD,TMP,g; s/ERROR: //; s/expected uprobe:BINARY.*/syntax/; /^stdin/p; /help/p"
done
