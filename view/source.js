// SPDX-License-Identifier: GPL-2.0-or-later
// Where the recording is: in this document, or at the server that sent it. This is the only file that makes requests.
import { COLUMNS, Events, bytesOf, lowerBound } from './data.js';
import { countHere } from './counts.js';
import { Wrong, compile } from './predicate.js';
import { sumUp } from './report.js';
import { mapPoints, scriptOf, seriesHere } from './series.js';

const MOST_REQUEST = 3900; /* http_request.target, with the path */

const text = (/** @type {Uint8Array | null} */ bytes) => new TextDecoder().decode(bytes || new Uint8Array());

/** Lanes of scripts that are in this document: what each printed. */
function lanesHere() {
	/** @type {Map<string, {lines: string[], wrong: string}>} */
	const lanes = new Map();
	for (let i = 0, bytes; (bytes = bytesOf('lane-' + i)); i++) {
		const [head, ...lines] = text(bytes).split('\n').filter(Boolean), { script, wrong } = JSON.parse(head);
		lanes.set(script, { lines, wrong });
	}
	return lanes;
}

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
	/** @type {import('./data.js').Info} */
	const info = JSON.parse(text(bytesOf('info')));
	const lanes = lanesHere();
	/** @type {Map<string, number[]>} */
	const kept = new Map();
	/** Numbers of the events that match. @param {string} filter */
	const matches = filter => {
		let numbers = kept.get(filter);
		if (!numbers) {
			const { of, formats } = compile(filter, info), e = /** @type {Events} */ (all());
			kept.set(filter, numbers = Array.from(e.times.keys()).filter(i => formats[e.at(i).row[0]] && of(e.at(i))));
		}
		return numbers;
	};
	/** @param {number[]} numbers of events */
	const whereOf = numbers => {
		const e = /** @type {Events} */ (all()), n = new Map();
		for (const i of numbers) {
			const column = Math.min(COLUMNS - 1, Math.floor(e.times[i] / Math.max(info.range, 1) * COLUMNS));
			n.set(column, (n.get(column) || 0) + 1);
		}
		return [...n].flat();
	};
	return {
		live: false,
		info: async () => info,
		tile: async (level, index) => (level ? null : bytesOf('tile')) || bytesOf(`tile-${level}-${index}`),
		rows: !has ? null : async (first, n, filter) => {
			const e = /** @type {Events} */ (all()), found = filter ? matches(filter) : null;
			/** @type {import('./data.js').EventRow[]} */
			const rows = [];
			for (let i = first; i < Math.min(first + n, found ? found.length : e.times.length); i++) {
				const { time, cpu, row: [format, tid, pid, comm, what] } = e.at(found ? found[i] : i);
				rows.push([time, cpu, format, tid, pid, comm, what]);
			}
			return rows;
		},
		numberAt: async (time, filter) => {
			const number = all()?.numberAt(time) ?? 0, found = filter ? matches(filter) : null;
			return found ? lowerBound(found, found.length, number) : number;
		},
		filter: async filter => {
			if (!has)
				return { n: 0, isDone: true, at: 0, where: [], wrong: `this page has steps, not single events: sonde view ${info.file} has a filter` };
			try {
				return { n: matches(filter).length, isDone: true, at: 0, where: whereOf(matches(filter)), wrong: '' };
			} catch (e) {
				return { n: 0, isDone: true, where: [], at: e instanceof Wrong ? e.at : 0, wrong: /** @type {Error} */ (e).message };
			}
		},
		words: async () => ['comm', 'cpu', 'nsecs', 'pid', 'tid'],
		values: !has ? null : async q => {
			try {
				return countHere(/** @type {Events} */ (all()), q, info);
			} catch (e) {
				return { n: 0, rows: [], wrong: /** @type {Error} */ (e).message };
			}
		},
		series: async (text, steps) => {
			const lane = lanes.get(text);
			if (lane)
				return lane.wrong ? { points: [], wrong: lane.wrong } : mapPoints(lane.lines, steps);
			if (!has)
				throw Error(`this page has steps, not single events: sonde view ${info.file} has counters`);
			return { points: seriesHere(/** @type {Events} */ (all()), text, steps, info) };
		},
		state: null,
		listen: () => undefined,
		forget: () => undefined,
		scripts: () => [...lanes.keys()],
		report: !has ? null : async (from, to) => sumUp(/** @type {Events} */ (all()), from, to, info),
		flame: !flame ? null : async (from, to, off) => text(bytesOf(off ? 'off' : 'flame')),
	};
}

/** @returns {import('./data.js').Source} */
function serverSource() {
	let ended = () => {};
	const get = async (/** @type {string} */ what) => {
		const answer = await fetch(what).catch(() => fetch(what)).catch(() => { /* the server may have closed an idle connection */
			ended();
			throw Error('sonde view has ended');
		});
		if (!answer.ok && answer.status !== 404)
			throw Error(`${what}: ${answer.status}`);
		return answer;
	};
	const json = async (/** @type {string} */ what) => (await get(what)).json();
	const ask = (/** @type {string} */ what, /** @type {any} */ of) => what + '?' + new URLSearchParams(of);
	const range = (/** @type {number} */ from, /** @type {number} */ to) => ({ from: Math.max(0, Math.ceil(from)), to: Math.max(0, Math.floor(to)) });
	/** @type {Record<string, {what: string}>} */
	const wanted = {};
	/** @type {import('./data.js').Info} */
	let about;
	/** An answer that a process of the server works on: asked for again until it is there. What is no longer wanted, as the slot has
	 * another one or none, never comes, and ends there. @param {string} what @param {any} of @param {string} [slot] @returns {Promise<Response>} */
	const long = async (what, of, slot = what) => {
		const mine = wanted[slot] = { what: ask(what, of) };
		for (let wait = 10; wanted[slot] === mine; wait = Math.min(wait * 2, 200)) {
			const answer = await get(mine.what), isDone = answer.status !== 202;
			if (isDone && wanted[slot] === mine)
				return answer;
			if (isDone)
				break;
			await new Promise(done => setTimeout(done, wait));
		}
		if (!Object.values(wanted).some(w => w.what === mine.what))
			get(mine.what.replace('?', '?end=1&')).catch(() => undefined);
		return new Promise(() => undefined);
	};
	return {
		live: true,
		info: async () => about = await json('info'),
		tile: async (level, index) => {
			const answer = await get(`tile?level=${level}&index=${index}`);
			return answer.status === 200 ? new Uint8Array(await answer.arrayBuffer()) : null;
		},
		rows: (first, n, filter) => json(ask('rows', { first, n, filter })),
		numberAt: (time, filter) => json(ask('number', { at: Math.max(0, Math.ceil(time)), filter })),
		filter: async filter => {
			const found = await json(ask('filter', { filter })), before = new TextEncoder().encode(filter).slice(0, found.at);
			return { ...found, at: new TextDecoder().decode(before).length };
		},
		words: () => json('words'),
		values: async q => (await long('values', { ...q, ...range(q.from, q.to) })).json(),
		series: async (text, steps) => {
			const { script, step, answer } = scriptOf(text, steps, about);
			if (encodeURIComponent(script).length > MOST_REQUEST)
				throw Error('this script is too long for a lane');
			const lines = (await (await long('run', { script, step, to: steps.to }, 'run ' + text)).text()).split('\n').filter(Boolean);
			const { wrong } = JSON.parse(lines[0] || '{}');
			return wrong ? { points: [], wrong } : answer(lines);
		},
		state: () => json('state'),
		listen: f => ended = f,
		forget: text => delete wanted['run ' + text],
		scripts: info => info.script ? [info.script] : [],
		report: async (from, to) => (await long('report', range(from, to))).json(),
		flame: async (from, to, off) => (await long('flame', { ...range(from, to), off: Number(off) }, `flame ${from}`)).text(),
	};
}

/** Lines of the maps of a script that runs: ms since its beginning, and what sonde run -f json prints. @param {number} from
 * @returns {Promise<{lines: [number, {type: string, data: Record<string, any>}][], next: number} | null>} null: the run is over */
export const liveLines = from => fetch('live?from=' + from).then(a => a.json()).catch(() => null);

/** Folded lines of a page that sonde export --html made, or of a file of them. @param {File} file @param {boolean} off */
export async function foldedOf(file, off) {
	const all = await file.text();
	return /^<!doctype html>/i.test(all) ? text(bytesOf(off ? 'off' : 'flame', new DOMParser().parseFromString(all, 'text/html'))) : all;
}

export function openSource() {
	return document.getElementById('info') ? fileSource() : serverSource();
}
