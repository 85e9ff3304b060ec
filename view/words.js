// SPDX-License-Identifier: GPL-2.0-or-later
// Times and names as text. Text of the recording goes to the document only as text, never as markup.
import { STATE_NAMES } from './data.js';

/** A length of time: "1.25 ms". @param {number} ns */
export function duration(ns) {
	const size = Math.abs(ns);
	for (const [by, unit] of /** @type {[number, string][]} */ ([[1e9, 's'], [1e6, 'ms'], [1e3, 'µs']]))
		if (size >= by)
			return (ns / by).toPrecision(size >= 1e12 ? 7 : 4).replace(/\.?0+$/, m => m.includes('.') ? '' : m) + ' ' + unit;
	return Math.round(ns) + ' ns';
}

/** The time of the boot clock in seconds, as sonde script prints it, with so many digits. @param {import('./data.js').Info} info
 * @param {number} ns @param {number} digits */
export function clock(info, ns, digits = 9) {
	const all = ns >= info.range ? BigInt(info.to) + BigInt(Math.round(ns - info.range)) : BigInt(info.from) + BigInt(Math.round(ns)), rest = String(all % 1000000000n).padStart(9, '0');
	return all / 1000000000n + (digits ? '.' + rest.slice(0, digits) : '');
}

/** Time of the day. @param {import('./data.js').Info} info @param {number} ns */
export function wallTime(info, ns) {
	return new Date(Number((BigInt(info.from) + BigInt(info.toReal) + BigInt(Math.round(ns))) / 1000000n)).toLocaleTimeString();
}

/** @param {import('./data.js').Info} info @param {number} task */
export function taskName(info, task) {
	const t = info.tasks[task];
	return !task ? 'idle' : t ? `${t[2] || '?'} ${t[0]}` : '?';
}

/** A process by its first thread, if that is known. @param {import('./data.js').Info} info @param {number} pid */
export function processName(info, pid) {
	const t = info.tasks.find(task => task[0] === pid);
	return pid ? `${t && t[2] || '?'} (process ${pid})` : 'process not known';
}

/** What a thread does. @param {import('./data.js').Info} info @param {number} state @param {number} extra */
export function stateText(info, state, extra) {
	const name = STATE_NAMES[state] || '?';
	if (name === 'running')
		return `running on processor ${extra}`;
	if (name === 'runnable')
		return extra ? `runnable, woken by ${taskName(info, extra - 1)}` : 'runnable, preempted';
	return name;
}

/** An element with text. @param {string} tag @param {string} text @param {Element} [parent] @param {string} [className] */
export function make(tag, text, parent, className) {
	const e = document.createElement(tag);
	e.textContent = text;
	if (className)
		e.className = className;
	if (parent)
		parent.append(e);
	return e;
}

/** @param {string} id @returns {any} */
export const $ = id => document.getElementById(id);
