// SPDX-License-Identifier: GPL-2.0-or-later
// The sums of a range, as `sonde report --time` has them: src/cli/report.c, which says which spans count.

/** @typedef {{n: number, sum: number, max: number}} Spans */
/**
 * @typedef {object} Report
 * @property {{name: string, n: number}[]} events
 * @property {{tid: number, comm: string, n: number, onCpu: Spans, waits: Spans}[]} threads
 * @property {{name: string, n: number, errors: number, times: Spans}[]} calls
 * @property {boolean} hasSwitches
 * @property {boolean} hasEntries
 * @property {boolean} hasExits
 */

const none = () => ({ n: 0, sum: 0, max: 0 });
const add = (/** @type {Spans} */ s, /** @type {number} */ ns) => {
	s.n++;
	s.sum += ns;
	s.max = Math.max(s.max, ns);
};

class Sums {
	/** @param {import('./data.js').Info} info */
	constructor(info) {
		this.info = info;
		/** @type {Map<string, {name: string, n: number}>} */
		this.events = new Map();
		/** @type {Map<number, any>} */
		this.threads = new Map();
		/** @type {Map<string, any>} */
		this.calls = new Map();
		/** @type {any[]} by processor */
		this.running = [];
		this.hasSwitches = this.hasEntries = this.hasExits = false;
		/** What is left of the beginnings and ends of gaps: times and processors */
		this.edges = info.gaps.flatMap(([from, to, cpu]) => [[from, cpu], [to, cpu]]).sort((a, b) => a[0] - b[0]);
	}
	/** Where a part of the file is missing, spans are interrupted but those of threads on other processors. @param {number} time */
	passGaps(time) {
		while (this.edges.length && this.edges[0][0] <= time) {
			const edge = this.edges[0][0], cpus = new Set();
			while (this.edges.length && this.edges[0][0] === edge)
				cpus.add(/** @type {number[]} */ (this.edges.shift())[1]);
			const goOn = new Set();
			this.running.forEach((t, cpu) => {
				if (t && !cpus.has(cpu) && !cpus.has(-1))
					goOn.add(t);
				else
					this.running[cpu] = null;
			});
			for (const t of this.threads.values())
				if (!goOn.has(t))
					t.runs = t.runnable = t.since = null;
		}
	}
	/** Of a field. @param {any[]} row @param {string} name */
	value(row, name) {
		return row[5][this.info.fields[row[0]].indexOf(name)];
	}
	/** @param {string} name */
	event(name) {
		const e = this.events.get(name) || { name, n: 0 };
		e.n++;
		this.events.set(name, e);
	}
	/** @param {number} tid @param {string} comm */
	thread(tid, comm) {
		let t = this.threads.get(tid);
		if (!t)
			this.threads.set(tid, t = { tid, comm, n: 0, onCpu: none(), waits: none(), runs: null, runnable: null, since: null, call: '' });
		if (comm)
			t.comm = comm;
		return t;
	}
	/** @param {number} time @param {number} cpu @param {any[]} row */
	take(time, cpu, row) {
		const [prevTid, prevComm, state, nextTid, nextComm] = ['prev_pid', 'prev_comm', 'prev_state', 'next_pid', 'next_comm'].map(name => this.value(row, name));
		const prev = prevTid ? this.thread(prevTid, prevComm) : null, next = nextTid ? this.thread(nextTid, nextComm) : null;
		const ran = this.running[cpu];
		this.hasSwitches = true;
		if (ran !== prev) { /* what is known of others that ran there is no longer true */
			if (ran)
				ran.runs = null;
			if (prev)
				prev.runs = null;
		}
		if (prev) {
			if (prev.runs !== null)
				add(prev.onCpu, time - prev.runs);
			prev.runs = null;
			prev.runnable = !state || state & 0x100 ? time : null;
		}
		this.running[cpu] = next;
		if (next) {
			if (next.runnable !== null && next.runs === null)
				add(next.waits, time - next.runnable);
			next.runnable = null;
			next.runs = time;
		}
	}
	/** @param {number} time @param {any[]} row */
	wake(time, row) {
		const tid = this.value(row, 'pid'), t = tid ? this.thread(tid, this.value(row, 'comm')) : null;
		if (t && t.runs === null && t.runnable === null)
			t.runnable = time;
	}
	/** @param {number} time @param {any[]} row */
	call(time, [, tid, , , , , name, isExit, isError]) {
		const t = this.thread(tid, '');
		let c = this.calls.get(name);
		if (!c)
			this.calls.set(name, c = { name, entries: 0, exits: 0, errors: 0, times: none() });
		if (!isExit) {
			this.hasEntries = true;
			c.entries++;
			t.since = time;
			t.call = name;
			return;
		}
		this.hasExits = true;
		c.exits++;
		c.errors += isError;
		if (t.since !== null && t.call === name)
			add(c.times, time - t.since);
		t.since = null;
	}
	/** @returns {Report} */
	report() {
		const both = this.hasEntries && this.hasExits;
		const words = (/** @type {string} */ a, /** @type {string} */ b) => a < b ? -1 : a > b ? 1 : 0;
		return {
			events: [...this.events.values()].sort((a, b) => b.n - a.n || words(a.name, b.name)),
			threads: [...this.threads.values()].sort((a, b) => b.onCpu.sum - a.onCpu.sum || b.n - a.n || a.tid - b.tid),
			calls: [...this.calls.values()].sort((a, b) => b.times.sum - a.times.sum || b.entries + b.exits - a.entries - a.exits || words(a.name, b.name))
				.map(c => ({ name: c.name, n: both ? c.times.n : Math.max(c.entries, c.exits), errors: c.errors, times: c.times })),
			hasSwitches: this.hasSwitches,
			hasEntries: this.hasEntries,
			hasExits: this.hasExits,
		};
	}
}

/** @param {import('./data.js').Events} events @param {number} from @param {number} to included @param {import('./data.js').Info} info */
export function sumUp(events, from, to, info) {
	const sums = new Sums(info);
	for (let i = events.numberAt(from); i < events.times.length && events.times[i] <= to; i++) {
		const row = events.rows[events.row[i]], name = info.formats[row[0]], time = events.times[i];
		sums.passGaps(time);
		sums.event(name);
		if (row[1])
			sums.thread(row[1], row[3]).n++;
		if (name === 'sched:sched_switch')
			sums.take(time, events.cpu[i], row);
		else if (name === 'sched:sched_waking' || name === 'sched:sched_wakeup' || name === 'sched:sched_wakeup_new')
			sums.wake(time, row);
		else if (row.length === 9)
			sums.call(time, row);
	}
	return sums.report();
}
