// SPDX-License-Identifier: GPL-2.0-or-later
// Values without a server, counted as src/cli/view/values.c does: of numbers percentiles within 0.1 % and powers of two, of
// texts how often each is.
import { compile } from './predicate.js';

/**
 * @typedef {object} Counted
 * @property {number} n
 * @property {[string, number][]} rows
 * @property {number} [least] only of numbers, with the others
 * @property {number} [p50] @property {number} [p90] @property {number} [p99] @property {number} [largest]
 * @property {string} [wrong] the error: nothing else is there
 */
/** @typedef {{expr?: string, first?: string, second?: string, key?: string, filter: string, from: number, to: number}} ValueRequest */

const FINE_BITS = 10;

/** The least value of the bucket of a number that is not negative. @param {number} n */
function floorOf(n) {
	const by = n < 2 ** (FINE_BITS + 1) ? 1 : 2 ** (Math.floor(Math.log2(n)) - FINE_BITS);
	return Math.floor(n / by) * by;
}

/** @param {number} power */
const edge = power => 2 ** (power % 10) + ['', 'K', 'M', 'G', 'T', 'P', 'E'][Math.floor(power / 10)];

/** @param {number} n */
function label(n) {
	const power = Math.floor(Math.log2(n));
	return n < 0 ? '(..., 0)' : n ? `[${edge(power)}, ${edge(power + 1)})` : '[0]';
}

/** @param {any[]} values numbers, or texts @returns {Counted} */
export function countUp(values) {
	/** @type {Map<string, number>} */
	const rows = new Map();
	if (values.length && typeof values[0] === 'string') {
		for (const v of values)
			rows.set(v, (rows.get(v) || 0) + 1);
		return { n: values.length, rows: [...rows].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 1000) };
	}
	const sorted = Float64Array.from(values, Number).sort(), n = sorted.length, least = sorted[0], largest = sorted[n - 1];
	for (const v of sorted)
		rows.set(label(v), (rows.get(label(v)) || 0) + 1);
	const share = (/** @type {number} */ percent) => {
		const v = sorted[Math.max(1, Math.ceil(n * percent / 100)) - 1];
		return Math.min(Math.max(v < 0 ? -floorOf(-v) : floorOf(v), least), largest);
	};
	return n ? { n, least, p50: share(50), p90: share(90), p99: share(99), largest, rows: [...rows] } : { n, rows: [] };
}

/** A part of the key: a field of that event, else an expression. @param {import('./data.js').Info} info @param {number} format @param {string} key */
const keyOf = (info, format, key) => compile(info.fields[format]?.includes(key) ? 'args.' + key : key, info);

/** @param {import('./data.js').Events} events @param {ValueRequest} q @param {import('./data.js').Info} info @returns {Counted} */
export function countHere(events, q, info) {
	const where = q.filter.trim() ? compile(q.filter, info) : null, values = [], since = new Map();
	const [a, b] = [q.first, q.second].map(name => info.formats.indexOf(name || ''));
	const [key, last = key] = (q.key || '').split(',').map(k => k.trim());
	for (const [format, name] of /** @type {[number, string][]} */ (q.expr ? [] : [[a, q.first], [b, q.second]]))
		if (format < 0)
			throw Error(`the recording has no event: ${name}`);
	const expr = q.expr ? compile(q.expr, info) : null, begins = expr ? null : keyOf(info, a, key), ends = expr ? null : keyOf(info, b, last);
	/* where a part of the file begins or ends to be missing: what ended an interval may be in it */
	const edges = info.gaps.flatMap(([from, to]) => [from, to]).sort((x, y) => x - y);
	for (let i = events.numberAt(q.from); i < events.times.length && events.times[i] <= q.to; i++) {
		const e = events.at(i), format = e.row[0];
		for (; edges.length && edges[0] <= e.time; edges.shift())
			since.clear();
		if (where && !(where.formats[format] && where.of(e)))
			continue;
		if (expr?.formats[format])
			values.push(expr.of(e));
		if (ends && format === b) {
			const k = String(ends.of(e)), from = since.get(k);
			if (from !== undefined)
				values.push(e.time - from);
			since.delete(k);
		}
		if (begins && format === a)
			since.set(String(begins.of(e)), e.time);
	}
	return countUp(values);
}
