// SPDX-License-Identifier: GPL-2.0-or-later
// Tiles: decoded, kept, and chosen for what is visible. The format is in src/export/timeline/tile.h.
import { Varints, lowerBound } from './data.js';

/**
 * Spans of a lane in the order of their beginnings; they do not overlap.
 * @typedef {object} Lane
 * @property {number} n
 * @property {Float64Array} t0
 * @property {Float64Array} t1
 * @property {Float64Array} arg
 * @property {Float64Array} extra
 * @property {Uint8Array} flags MERGED, OPEN
 */
/** @typedef {{step: number, events: number, lanes: Map<number, Lane>}} Tile step 0: nothing is merged */
/** @typedef {{tile: Tile, from: number, to: number}} Part of the picture: what of a tile is to be drawn */

export const MERGED = 1, OPEN = 2;
const KEPT = 160;

/** @param {number} kind @param {number} key */
export const laneId = (kind, key) => key * 8 + kind;

/** @param {any[]} r times t0, t1, arg, extra, flags, one after the other @returns {Lane} */
function laneOf(r) {
	const n = r.length / 5, order = Array.from({ length: n }, (_, i) => i * 5);
	for (let i = 5; i < r.length; i += 5)
		if (r[i] < r[i - 5]) {
			order.sort((a, b) => r[a] - r[b]);
			break;
		}
	const column = (/** @type {number} */ c) => Float64Array.from(order, i => r[i + c]);
	return { n, t0: column(0), t1: column(1), arg: column(2), extra: column(3), flags: Uint8Array.from(order, i => r[i + 4]) };
}

/** @param {Uint8Array} bytes @returns {Tile} */
export function decode(bytes) {
	const from = new Varints(bytes), step = from.next(), events = from.next();
	/** @type {Map<number, any[]>} */
	const all = new Map();
	for (let t0 = 0; from.more;) {
		const code = from.next(), id = Math.floor(code / 32) * 8 + (code >> 2 & 7);
		let list = all.get(id);
		if (!list)
			all.set(id, list = []);
		t0 += from.nextSigned();
		list.push(t0, t0 + from.next(), from.next(), from.next(), code & 3);
	}
	const lanes = new Map();
	for (const [id, list] of all)
		lanes.set(id, laneOf(list));
	return { step, events, lanes };
}

/** The first span that ends after the time. @param {Lane} lane @param {number} time */
export function firstAfter(lane, time) {
	return lowerBound(lane.t1, lane.n, time);
}

export class Tiles {
	/** @param {import('./data.js').Source} source @param {import('./data.js').Info} info @param {() => void} changed */
	constructor(source, info, changed) {
		this.source = source;
		this.info = info;
		this.changed = changed;
		/** @type {Map<string, Tile | null>} null: on its way */
		this.kept = new Map();
	}
	/** Length of a tile. @param {number} level */
	lengthOf(level) {
		return Math.max(1, Math.ceil((this.info.range + 1) / 4 ** level));
	}
	get deepest() {
		return !this.info.isDone ? 0 : this.source.live ? 20 : Math.max(0, this.info.levels - 1);
	}
	/** @param {number} level @param {number} index @returns {Tile | null} */
	get(level, index) {
		const key = level + '/' + index, tile = this.kept.get(key);
		if (tile) {
			this.kept.delete(key); /* to the end: it was used last */
			this.kept.set(key, tile);
		}
		if (tile === undefined)
			this.load(level, index, key);
		return tile || null;
	}
	/** @param {number} level @param {number} index @param {string} key */
	async load(level, index, key) {
		this.kept.set(key, null);
		const bytes = await this.source.tile(level, index).catch(() => null);
		if (!bytes) { /* not yet: it is asked for again */
			setTimeout(() => this.kept.delete(key), 150);
			return;
		}
		this.kept.set(key, decode(bytes));
		for (const old of this.kept.keys()) {
			if (this.kept.size <= KEPT)
				break;
			if (old !== '0/0' && this.kept.get(old))
				this.kept.delete(old);
		}
		this.changed();
	}
	/** The coarsest tile, as far as the server has come. */
	async again() {
		const bytes = await this.source.tile(0, 0);
		if (bytes)
			this.kept.set('0/0', decode(bytes));
	}
	/** What to draw from `from` to `to` if a pixel is so long: the finest tiles that are there. @param {number} from @param {number} to @param {number} pixel @returns {Part[]} */
	parts(from, to, pixel) {
		let level = 0;
		while (level < this.deepest && this.lengthOf(level) / 1024 > pixel)
			level++;
		/** @type {Part[]} */
		const parts = [], length = this.lengthOf(level);
		const last = Math.min(Math.floor(to / length), Math.floor(this.info.range / length), 4 ** level - 1); /* of 104 days and more, range + 1 may be range */
		for (let i = Math.max(0, Math.floor(from / length)); i <= last; i++) {
			const tile = this.finest(level, i), before = parts[parts.length - 1];
			if (before && before.tile === tile)
				before.to = (i + 1) * length;
			else if (tile)
				parts.push({ tile, from: i * length, to: (i + 1) * length });
		}
		return parts;
	}
	/** @param {number} level @param {number} index @returns {Tile | null} */
	finest(level, index) {
		const middle = (index + .5) * this.lengthOf(level);
		/** @type {Tile | null} */
		let best = null;
		for (let k = 0; k <= level; k++) {
			const key = k + '/' + Math.floor(middle / this.lengthOf(k));
			const tile = this.kept.get(key);
			if (tile) {
				best = tile;
				this.get(k, Math.floor(middle / this.lengthOf(k)));
				if (!tile.step)
					return tile;
			}
		}
		if (!this.kept.has(level + '/' + index))
			this.get(level, index);
		return best;
	}
	/** The whole recording, as coarse as it gets. */
	get whole() {
		return this.get(0, 0);
	}
}
