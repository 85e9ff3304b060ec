// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers over time that the user asks for: of a field of an event ("power:cpu_frequency.state by cpu_id"), or the maps of a
// script. A series has an entry for each step in which there is something new.
import { compile } from './predicate.js';
import { bucketsOf, heatOf } from './heat.js';

const SERIES_STEPS = 1200;

/** @typedef {{key: string, time: number, low: number, high: number, last: number}} Point time: -Infinity before what is shown */
/** @typedef {Map<string, {time: number[], frames: import('./heat.js').Buckets[], before: import('./heat.js').Buckets}>} Frames of each map that is a histogram */
/** @typedef {{points: Point[], frames?: Frames, wrong?: string}} Answer */
/** @typedef {{from: number, to: number, step: number}} Steps */
/** @typedef {{time: number[], low: number[], high: number[], last: number[]}} Line */

/** Numbers with their keys: of {a: {count: 1}} "a.count"; of a histogram how many values it has. @param {any} value @param {string} key
 * @param {Map<string, number>} to */
export function flatten(value, key, to) {
	if (typeof value === 'number')
		to.set(key, value);
	else if (Array.isArray(value))
		to.set(key, value.reduce((sum, b) => sum + (b.count || 0), 0));
	else if (value && typeof value === 'object')
		for (const [k, v] of Object.entries(value))
			flatten(v, key ? key + '.' + k : k, to);
	return to;
}

/** The event, field and key of "EVENT.FIELD by KEY"; null: it is a script. @param {string} text @param {import('./data.js').Info} info */
export function fieldOf(text, info) {
	const found = /^\s*([^\s{}]+)\.(\w+)(?:\s+by\s+([^{}]+?))?\s*$/.exec(text);
	if (!found)
		return null;
	const [, event, field, by = '""'] = found, format = info.formats.indexOf(event);
	const key = info.fields[format]?.includes(by) ? 'args.' + by : by;
	return { event, field, key, format };
}

/** A script that prints [step, key, low, high, last]; step -1 is before what is shown. @param {string} event @param {string} field @param {string} key
 * @param {Steps} steps @param {bigint} origin */
const fieldScript = (event, field, key, { from, step }, origin) => `config = { print_maps_on_exit = false; max_map_keys = 100000 }
tracepoint:${event} {
$k = ${key}; $v = (int64)args.${field}; $c = nsecs < ${origin + BigInt(from)} ? (int64)-1 : (int64)((nsecs - ${origin + BigInt(from)}) / ${step});
if (@n[$k] && @c[$k] == $c) {
if ($v < @lo[$k]) { @lo[$k] = $v; }
if ($v > @hi[$k]) { @hi[$k] = $v; }
} else {
if (@n[$k]) { print((@c[$k], $k, @lo[$k], @hi[$k], @v[$k])); }
@lo[$k] = $v; @hi[$k] = $v; @c[$k] = $c; @n[$k] = 1;
}
@v[$k] = $v;
}
end { for ($kv : @v) { print((@c[$kv.0], $kv.0, @lo[$kv.0], @hi[$kv.0], $kv.1)); } }`;

/** @param {string[]} lines of JSON @param {Steps} steps @returns {Point[]} */
function fieldPoints(lines, { from, step }) {
	return lines.map(line => JSON.parse(line).data).filter(Array.isArray)
		.map(([c, key, low, high, last]) => ({ key: String(key), time: c < 0 ? -Infinity : from + c * step, low, high, last }));
}

/** Maps that a script printed now and then (lane_put_script() of src/cli/view/lane.c): those of what is shown, and the last ones before. @param {string[]} lines
 * of JSON @param {Steps} steps @returns {Answer} */
export function mapPoints(lines, { from, to }) {
	/** @type {Point[]} */
	const points = [], frames = new Map(), before = new Map();
	let time = -1, shown = false;
	for (const line of lines) {
		const { type, data } = JSON.parse(line);
		if (type === 'value' && typeof data === 'number') {
			time = data;
			continue;
		}
		if (!data || typeof data !== 'object' || Array.isArray(data) || time < 0 || time > to)
			continue;
		if (time >= from && !shown) {
			points.push(...before.values());
			shown = true;
		}
		for (const [map, value] of Object.entries(data)) {
			const buckets = bucketsOf(value);
			if (buckets)
				addFrame(frames, map, time, buckets, !shown);
			else
				for (const [key, n] of flatten({ [map]: value }, '', new Map())) {
					const point = { key, time, low: n, high: n, last: n };
					if (shown)
						points.push(point);
					else
						before.set(key, point);
				}
		}
	}
	return { points: shown ? points : [...before.values()], frames };
}

/** @param {Frames} frames @param {string} map @param {number} time @param {import('./heat.js').Buckets} buckets @param {boolean} isBefore what is shown */
function addFrame(frames, map, time, buckets, isBefore) {
	const of = frames.get(map) || { time: [], frames: [], before: [] };
	frames.set(map, of);
	if (isBefore) {
		of.before = buckets;
		return;
	}
	of.time.push(time);
	of.frames.push(buckets);
}

/** What the server is asked to run, and what its lines mean. step: its maps are to be printed so often, in ns; 0: it prints by itself. @param {string} text
 * @param {Steps} steps @param {import('./data.js').Info} info @returns {{script: string, step: number, answer: (lines: string[]) => Answer}} */
export function scriptOf(text, steps, info) {
	const is = fieldOf(text, info);
	if (is && is.format < 0)
		throw Error(`the recording has no event: ${is.event}`);
	return is ? { script: fieldScript(is.event, is.field, is.key, steps, BigInt(info.from)), step: 0, answer: lines => ({ points: fieldPoints(lines, steps) }) } :
		{ script: text, step: steps.step, answer: lines => mapPoints(lines, steps) };
}

/** The same without a server, of fields only. @param {import('./data.js').Events} events @param {string} text @param {Steps} steps
 * @param {import('./data.js').Info} info @returns {Point[]} */
export function seriesHere(events, text, { from, to, step }, info) {
	const is = fieldOf(text, info), last = new Map(), points = [];
	if (!is || is.format < 0)
		throw Error(is ? `the recording has no event: ${is.event}` : 'this page has no server and runs no scripts: sonde view does, and sonde export --html --lane=SCRIPT');
	const value = compile('args.' + is.field, info), key = is.key === '""' ? null : compile(is.key, info);
	for (let i = 0; i < events.times.length && events.times[i] <= to; i++) {
		const e = events.at(i), c = Math.max(-1, Math.floor((e.time - from) / step));
		if (e.row[0] !== is.format)
			continue;
		const v = value.of(e), k = key ? String(key.of(e)) : '', p = last.get(k), n = Number(v);
		if (typeof v === 'string')
			throw Error(`${is.field} is no number`);
		if (p && p.c === c) {
			Object.assign(p, { low: Math.min(p.low, n), high: Math.max(p.high, n), last: n });
			continue;
		}
		const point = { key: k, time: c < 0 ? -Infinity : from + c * step, low: n, high: n, last: n, c };
		last.set(k, point);
		points.push(point);
	}
	return points;
}

/** @typedef {import('./heat.js').Heat & {time: number[]}} HeatLine a column ends at each time */
/** @typedef {{from: number, to: number, step: number, lines: Map<string, Line>, heats: Map<string, HeatLine>, wrong: string, busy: boolean}} Kept */

/** Keeps what was asked for, and asks for more when the picture moves. */
export class Series {
	/** @param {import('./data.js').Source} source @param {import('./data.js').Info} info @param {() => void} changed */
	constructor(source, info, changed) {
		this.source = source;
		this.info = info;
		this.changed = changed;
		/** @type {Map<string, Kept>} */
		this.kept = new Map();
		this.shape = ''; /* changes with the maps that there are */
	}
	/** Ends what others than these need. @param {string[]} texts */
	keepOnly(texts) {
		for (const [text, kept] of this.kept)
			if (!texts.includes(text)) {
				this.kept.delete(text);
				if (kept.busy)
					this.source.forget(text);
			}
	}
	/** What there is so far. @param {string} text @param {number} from @param {number} to what is visible @param {number} pixel its length */
	get(text, from, to, pixel) {
		let kept = this.kept.get(text);
		if (!kept)
			this.kept.set(text, kept = { from: 0, to: -1, step: 0, lines: new Map(), heats: new Map(), wrong: '', busy: false });
		const a = Math.max(0, Math.floor(from)), b = Math.min(this.info.range, Math.ceil(to));
		if (!kept.busy && this.info.isDone && (a < kept.from || b > kept.to || kept.step > Math.max(1, 4 * pixel)))
			this.load(kept, text, Math.max(0, Math.floor(from - (to - from) / 2)), Math.min(this.info.range, Math.ceil(to + (to - from) / 2)));
		return kept;
	}
	/** @param {Kept} kept @param {string} text @param {number} from @param {number} to */
	async load(kept, text, from, to) {
		kept.busy = true;
		const step = Math.max(1, Math.ceil((to - from) / SERIES_STEPS)), lines = new Map();
		/** @type {Answer} */
		const answer = await this.source.series(text, { from, to, step }).catch(e => ({ points: [], wrong: e.message }));
		for (const p of answer.points) {
			let line = lines.get(p.key);
			if (!line)
				lines.set(p.key, line = { time: [], low: [], high: [], last: [] });
			for (const part of /** @type {(keyof Line)[]} */ (['time', 'low', 'high', 'last']))
				line[part].push(p[part]);
		}
		const heats = new Map([...answer.frames || []].map(([map, { time, frames, before }]) => [map, { ...heatOf(frames, before), time }]));
		if (this.kept.get(text) !== kept) /* it was removed meanwhile */
			return;
		Object.assign(kept, { from, to, step, lines, heats, wrong: answer.wrong || '', busy: false });
		this.shape = [...this.kept].map(([t, k]) => [t, k.lines.size > 0, ...k.heats.keys()].join('\n')).join('\n\n');
		this.changed();
	}
}
