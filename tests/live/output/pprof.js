/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof.js FILE [stacks]: what npm's pprof-format reads of a profile. stacks: each stack from the innermost frame, a comma
 * between locations, the lines of a location with < between them. NODE_PATH names the parser's folder.
 */
'use strict';
const { Profile } = require('pprof-format');
const data = require('zlib').gunzipSync(require('fs').readFileSync(process.argv[2]));
const p = Profile.decode(data), s = i => p.stringTable.strings[Number(i)];
const functions = new Map(p.function.map(f => [String(f.id), f]));
const names = new Map(p.location.map(l => [String(l.id), functions.get(String(l.line[0].functionId))]));
const lines = new Map(p.location.map(l => [String(l.id), l.line.map(at => {
	const f = functions.get(String(at.functionId));
	return s(f.name) + ' ' + s(f.filename).replace(/.*\//, '') + ':' + at.line;
}).join(' < ')]));

if (process.argv[3] === 'stacks') {
	for (const sample of p.sample)
		console.log(sample.value.join(), sample.locationId.map(id => lines.get(String(id))).join(', '));
	process.exit();
}

console.log('types:', p.sampleType.map(t => s(t.type) + ' in ' + s(t.unit)).join(', '));
for (const type of p.sampleType.keys()) {
	const total = new Map();
	let all = 0;
	for (const sample of p.sample) {
		all += Number(sample.value[type]);
		for (const f of new Set(sample.locationId.map(id => names.get(String(id)))))
			total.set(f, (total.get(f) || 0) + Number(sample.value[type]));
	}
	for (const [f, n] of total)
		if (['main', 'heavy', 'light'].includes(s(f.name)))
			console.log(s(f.name), s(f.filename), (100 * n / all).toFixed(1));
}
console.log('outermost:', s(names.get(String(p.sample[0].locationId.at(-1))).name));
console.log('seconds:', Number(p.durationNanos) / 1e9, 'comment:', p.comment.map(s).join());
