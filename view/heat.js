// SPDX-License-Identifier: GPL-2.0-or-later
// Heat maps of histograms: a column for each interval, a row for each bucket, darker the more values came in that time.

/** @typedef {{min?: number, max?: number, count: number}[]} Buckets */
/** @typedef {{rows: string[], added: number[][], last: number[], most: number}} Heat rows: names of buckets, the lowest first; added: of each frame how
 * many values came into each of them; last: how many there are at the end; most: of all that were added to one at once */

/** @param {Buckets[number]} b */
const nameOf = b => b.min === undefined ? `below ${(b.max ?? 0) + 1}` : b.max === undefined ? `${b.min} on` : b.min === b.max ? String(b.min) : `${b.min} to ${b.max}`;

/** The buckets of a histogram; of one for each key: all together. @param {any} value of a map @returns {Buckets | null} null: it is none */
export function bucketsOf(value) {
	if (Array.isArray(value))
		return value;
	const of = value && typeof value === 'object' ? Object.values(value) : [];
	return of.length && of.every(Array.isArray) ? of.flat() : null;
}

/** @param {Buckets[]} frames what the map was, one after the other @param {Buckets} [before] and before them @returns {Heat} */
export function heatOf(frames, before = []) {
	/** @type {Map<string, number>} */
	const order = new Map();
	const [was, ...counts] = [before, ...frames].map(buckets => {
		/** @type {Map<string, number>} */
		const of = new Map();
		for (const b of buckets) {
			const name = nameOf(b);
			order.set(name, b.min ?? -Infinity);
			of.set(name, (of.get(name) || 0) + b.count);
		}
		return of;
	});
	const rows = [...order].sort((a, b) => a[1] - b[1]).map(([name]) => name);
	const first = rows.map(r => was.get(r) || 0), numbers = counts.map(of => rows.map(r => of.get(r) || 0));
	/* a map that begins anew has less than before: all of it is new */
	const added = numbers.map((now, i) => now.map((n, k) => n - (n >= (numbers[i - 1] || first)[k] ? (numbers[i - 1] || first)[k] : 0)));
	return { rows, added, last: numbers[numbers.length - 1] || [], most: added.reduce((most, column) => column.reduce((a, b) => Math.max(a, b), most), 1) };
}

/** Column i of the map, from the bottom of a place to its top. @param {CanvasRenderingContext2D} ctx @param {Heat} heat @param {number} i
 * @param {{x0: number, x1: number, bottom: number, height: number}} place */
export function paintColumn(ctx, heat, i, { x0, x1, bottom, height }) {
	const high = height / Math.max(1, heat.rows.length);
	ctx.fillStyle = 'hsl(15 90% 45%)'; /* more or less of it, so that it is darker in the light and brighter in the dark */
	heat.added[i].forEach((n, k) => {
		ctx.globalAlpha = .2 + .8 * Math.log(1 + n) / Math.log(1 + heat.most);
		if (n)
			ctx.fillRect(x0, bottom - (k + 1) * high, Math.max(1, x1 - x0), Math.max(1, high - .5));
	});
	ctx.globalAlpha = 1;
}
