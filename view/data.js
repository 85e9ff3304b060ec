// SPDX-License-Identifier: GPL-2.0-or-later
// What a recording consists of for this page, and where it comes from: elements of this file, or the server. Times are
// nanoseconds from the beginning of the range, as numbers; the beginning itself is too large for a number.

/**
 * @typedef {object} Info what src/export/timeline/json.c writes
 * @property {boolean} [isLive] a script that runs: only `file` is there
 * @property {string} file
 * @property {string} command
 * @property {string} script of which it is a recording, or ''
 * @property {string} uname
 * @property {string} from ns of the boot clock
 * @property {string} to its end: of more than 104 days the length is not exact
 * @property {string} toReal what to add to it for ns since 1970
 * @property {number} range length, in ns
 * @property {number} done up to this time the server has read the file
 * @property {boolean} isDone
 * @property {number} events in the range, up to `done`
 * @property {number} eventsInFile
 * @property {number} cpus
 * @property {number} levels of tiles that a file has
 * @property {boolean} wholeMachine
 * @property {Record<string, number>} has switches, wakeups, calls, interrupts, stacks: 1 or 0
 * @property {[number, number, string][]} tasks thread, process (0: not known), name
 * @property {string[]} formats names of events
 * @property {string[][]} fields of each of them
 * @property {string[]} names of system calls and interrupts
 * @property {[number, number, string][]} losses when noticed, number, reason
 * @property {[number, number, number][]} gaps from, to, processor (-1: any): that part of the file is missing
 * @property {boolean} hasEnd its recorder has closed it
 * @property {string} damage
 * @property {number} change since the file was opened, enum store_change: 0 none, 1 it has grown, 2 it is another one
 * @property {boolean} [isGone] the server has ended
 * @property {number} chunksGone chunks that were overwritten
 */

/** @typedef {[number, number, number, number, number, string, string]} EventRow time, processor, format, thread, process, name, text */

/**
 * @typedef {object} Source
 * @property {boolean} live a server answers: it has tiles of all levels
 * @property {() => Promise<Info>} info
 * @property {(level: number, index: number) => Promise<Uint8Array | null>} tile null: there is none, or not yet
 * @property {((first: number, n: number, filter: string) => Promise<EventRow[]>) | null} rows null: not in this file
 * @property {(time: number, filter: string) => Promise<number>} numberAt of the first event, or match, at or after that time
 * @property {(filter: string) => Promise<{n: number, isDone: boolean, at: number, wrong: string, where: number[]}>} filter how many match so far;
 * where: pairs of a column (of COLUMNS of the recording) and how many it has; wrong: an error, at that place of the text
 * @property {() => Promise<string[]>} words variables of the language
 * @property {((q: import('./counts.js').ValueRequest) => Promise<import('./counts.js').Counted>) | null} values
 * @property {(text: string, steps: import('./series.js').Steps) => Promise<import('./series.js').Answer>} series
 * @property {(() => Promise<{change: number, damage: string}>) | null} state of the file at the server, now
 * @property {(ended: () => void) => void} listen ended() is called when the server has ended
 * @property {(text: string) => void} forget nobody waits for that series any more
 * @property {(info: Info) => string[]} scripts whose lanes are shown at once
 * @property {((from: number, to: number) => Promise<import('./report.js').Report>) | null} report
 * @property {((from: number, to: number, off: boolean) => Promise<string>) | null} flame folded lines; of a file, of all of it; off: the microseconds off the
 * CPU
 */

/** enum lane_kind of src/export/timeline/model.h */
export const KIND = { CPU: 0, TASK: 1, CALL: 2, IRQ: 3, SOFTIRQ: 4, WAKE: 5, EVENT: 6 };
/** enum task_state */
export const STATE = { UNKNOWN: 0, RUNNING: 1, RUNNABLE: 2, SLEEPING: 3, BLOCKED: 4, STOPPED: 5 };
export const STATE_NAMES = ['unknown', 'running', 'runnable', 'sleeping', 'blocked', 'stopped'];
/** MATCH_COLUMNS of src/cli/view/matches.h */
export const COLUMNS = 1024;
/** Losses are noticed once in this time: they happened in the time before. LOSS_PERIOD_MS of src/session/loop.c */
export const LOSS_PERIOD = 1e9;

/** @param {string} id @param {Document} from @returns {Uint8Array | null} */
export function bytesOf(id, from = document) {
	const e = from.getElementById(id);
	if (!e)
		return null;
	const packed = Uint8Array.from(atob(e.textContent || ''), c => c.charCodeAt(0));
	return unpack(packed, Number(e.dataset.len));
}

/** A block of LZ4. @param {Uint8Array} from @param {number} length of the result */
export function unpack(from, length) {
	const to = new Uint8Array(length);
	let at = 0, out = 0;
	const more = (/** @type {number} */ n) => {
		for (let b = n === 15 ? 255 : 0; b === 255; n += b)
			b = from[at++];
		return n;
	};
	while (at < from.length) {
		const token = from[at++], n = more(token >> 4);
		to.set(from.subarray(at, at + n), out);
		at += n;
		out += n;
		if (at >= from.length)
			break;
		const back = from[at] | from[at + 1] << 8;
		at += 2;
		const end = out + more(token & 15) + 4;
		for (; out < end; out++)
			to[out] = to[out - back];
	}
	return to;
}

/** Numbers of seven bits a byte, the lowest first. */
export class Varints {
	/** @param {Uint8Array} bytes */
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}
	get more() {
		return this.at < this.bytes.length;
	}
	next() {
		let n = 0, by = 1, b;
		do {
			b = this.bytes[this.at++];
			n += (b & 127) * by;
			by *= 128;
		} while (b > 127);
		return n;
	}
	/** The sign is the lowest bit. */
	nextSigned() {
		return unzigzag(this.next());
	}
}

/** @param {number} n */
export function unzigzag(n) {
	return n % 2 ? -(n + 1) / 2 : n / 2;
}

/** The first of n ascending values that is not less. @param {ArrayLike<number>} values @param {number} n @param {number} wanted */
export function lowerBound(values, n, wanted) {
	let low = 0, high = n;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (values[middle] < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/** Events of a file: times and processors, and which row of texts each has. */
export class Events {
	/** @param {Uint8Array} bytes @param {any[][]} rows */
	constructor(bytes, rows) {
		const from = new Varints(bytes), times = [], row = [], cpu = [];
		for (let time = 0; from.more;) {
			times.push(time += from.next());
			row.push(from.next());
			cpu.push(from.next());
		}
		this.times = Float64Array.from(times);
		this.row = Uint32Array.from(row);
		this.cpu = Uint16Array.from(cpu);
		this.rows = rows;
	}
	/** @param {number} i @returns {import('./predicate.js').EventHere} */
	at(i) {
		return { time: this.times[i], cpu: this.cpu[i], row: this.rows[this.row[i]] };
	}
	/** @param {number} time */
	numberAt(time) {
		return lowerBound(this.times, this.times.length, time);
	}
}
