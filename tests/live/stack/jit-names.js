// SPDX-License-Identifier: GPL-2.0-or-later
// Works in hotLoop(), called by outer(), for the milliseconds of its argument.
function hotLoop(n) { let x = 0; for (let i = 0; i < n; i++) x += Math.sqrt(i); return x; }
function outer(n) { return hotLoop(n) + 1; }
const end = Date.now() + Number(process.argv[2]);
for (let s = 0; Date.now() < end; s += outer(200000));
