// SPDX-License-Identifier: GPL-2.0-or-later
// Where the recording is: in this document, or at the server that sent it. This is the only file that makes requests.
import { Events, bytesOf } from './data.js';
import { sumUp } from './report.js';

const text = (/** @type {Uint8Array | null} */ bytes) => new TextDecoder().decode(bytes || new Uint8Array());

/** @returns {import('./data.js').Source} */
function fileSource() {
	/** @type {Events | null} */
	let events = null;
	const all = () => {
		if (!events && document.getElementById('events'))
			events = new Events(/** @type {Uint8Array} */ (bytesOf('events')), JSON.parse(text(bytesOf('rows'))));
		return events;
	};
	const flame = document.getElementById('flame');
	const has = !!document.getElementById('events');
	return {
		live: false,
		info: async () => JSON.parse(text(bytesOf('info'))),
		tile: async (level, index) => (level ? null : bytesOf('tile')) || bytesOf(`tile-${level}-${index}`),
		rows: !has ? null : async (first, n) => {
			const e = /** @type {Events} */ (all());
			/** @type {import('./data.js').EventRow[]} */
			const rows = [];
			for (let i = first; i < Math.min(first + n, e.times.length); i++) {
				const [format, tid, pid, comm, what] = e.rows[e.row[i]];
				rows.push([e.times[i], e.cpu[i], format, tid, pid, comm, what]);
			}
			return rows;
		},
		numberAt: async time => all()?.numberAt(time) ?? 0,
		report: !has ? null : async (from, to) => sumUp(/** @type {Events} */ (all()), from, to, JSON.parse(text(bytesOf('info'))).formats),
		flame: !flame ? null : async () => text(bytesOf('flame')),
	};
}

/** @returns {import('./data.js').Source} */
function serverSource() {
	const get = async (/** @type {string} */ what) => {
		const answer = await fetch(what);
		if (!answer.ok && answer.status !== 404)
			throw Error(`${what}: ${answer.status}`);
		return answer;
	};
	const json = async (/** @type {string} */ what) => (await get(what)).json();
	return {
		live: true,
		info: () => json('info'),
		tile: async (level, index) => {
			const answer = await get(`tile?level=${level}&index=${index}`);
			return answer.status === 200 ? new Uint8Array(await answer.arrayBuffer()) : null;
		},
		rows: (first, n) => json(`rows?first=${first}&n=${n}`),
		numberAt: time => json(`number?at=${Math.max(0, Math.ceil(time))}`),
		report: (from, to) => json(`report?from=${Math.max(0, Math.ceil(from))}&to=${Math.max(0, Math.floor(to))}`),
		flame: async (from, to) => (await get(`flame?from=${Math.max(0, Math.ceil(from))}&to=${Math.max(0, Math.floor(to))}`)).text(),
	};
}

export function openSource() {
	return document.getElementById('info') ? fileSource() : serverSource();
}
