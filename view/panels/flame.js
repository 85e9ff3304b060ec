// SPDX-License-Identifier: GPL-2.0-or-later
// A flame graph of the events of the range that have stacks: the outermost function is at the top, width is the number of events.
import { hue } from '../paint.js';
import { showNeeds } from '../needs.js';
import { foldedOf } from '../source.js';
import { make } from '../words.js';
import { addPanel } from './registry.js';

/** @typedef {{name: string, n: number, kids: Map<string, Node>, was?: number}} Node was: its share of the range that it is compared with */

/** @param {string} name @returns {Node} */
const nodeOf = name => ({ name, n: 0, kids: new Map() });

/** Lines "thread;event;outer;inner N". @param {string} text @param {string} only that event; '': all @returns {Node} */
export function treeOf(text, only) {
	const root = nodeOf('all');
	for (const line of text.split('\n')) {
		const end = line.lastIndexOf(' '), n = Number(line.slice(end + 1)), names = line.slice(0, end).split(';');
		if (end < 1 || !n || (only && names[1] !== only))
			continue;
		let at = root;
		root.n += n;
		for (const name of names) {
			let kid = at.kids.get(name);
			if (!kid)
				at.kids.set(name, kid = nodeOf(name));
			kid.n += n;
			at = kid;
		}
	}
	return root;
}

/** Red: a larger share than in the range that it is compared with; blue: a smaller one. @param {number} more */
const tint = more => `hsl(${more < 0 ? 220 : 5} 85% ${94 - 40 * Math.min(1, Math.sqrt(Math.abs(more) * 4))}%)`;
/** @param {number} share */
const percent = share => (100 * share).toFixed(1) + ' %';

/** Notes in each node its share of another tree. @param {Node} node @param {Node | undefined} other @param {number} all of the other tree */
function compareTrees(node, other, all) {
	node.was = (other?.n || 0) / Math.max(all, 1);
	for (const kid of node.kids.values())
		compareTrees(kid, other?.kids.get(kid.name), all);
}

/** The share of a tree that is in nodes which another one lacks. @param {Node} node @param {Node | undefined} other @returns {number} events */
function goneOf(node, other) {
	return other ? [...node.kids.values()].reduce((sum, kid) => sum + goneOf(kid, other.kids.get(kid.name)), 0) : node.n;
}

/** A share of the width: no function is drawn that has less. */
const NARROWEST = .0007;

/** @param {HTMLElement} box @param {Node} root @param {Node} node @param {number} depth @param {number} left @param {number} scale
 * @param {string} unit @param {(n: Node) => void} zoom @returns {number} rows */
function placeNode(box, root, node, depth, left, scale, unit, zoom) {
	const e = /** @type {HTMLElement} */ (make('button', node.name, box)), share = node.n / root.n;
	e.style.left = left * 100 + '%';
	e.style.width = node.n * scale * 100 + '%';
	e.style.top = depth * 17 + 'px';
	e.style.background = node.was === undefined ? hue(node.name) : tint(share - node.was);
	e.title = `${node.name}: ${node.n} ${unit}, ${percent(share)}${node.was === undefined ? '' : ', was ' + percent(node.was)}`;
	e.onclick = () => zoom(node);
	let rows = depth + 1;
	for (const kid of [...node.kids.values()].sort((a, b) => b.n - a.n)) {
		if (kid.n * scale < NARROWEST)
			break;
		rows = Math.max(rows, placeNode(box, root, kid, depth + 1, left, scale, unit, zoom));
		left += kid.n * scale;
	}
	return rows;
}

const OFF = 'off', SAMPLES = /clock|cycles/;
/** The file that was chosen: the address cannot have it. @type {File | null} */
let otherFile = null;

/** Choices of what is in the graph, and of what it is compared with. @param {HTMLElement} box @param {import('./registry.js').App} app @param {number[]} range */
function addChoices(box, { info, source, view }, range) {
	const line = make('p', '', box), what = /** @type {HTMLSelectElement} */ (make('select', '', make('label', 'of ', line))), { base, flame } = view.is;
	what.append(new Option('all events', ''), ...info.has.switches ? [new Option('off CPU', OFF)] : [],
		...info.formats.map(name => new Option(SAMPLES.test(name) ? 'on CPU: ' + name : name, name)));
	what.value = flame;
	what.onchange = () => view.set({ flame: what.value });
	line.append(' ');
	if (base)
		make('button', 'compare no more', line).onclick = () => view.set({ base: '' });
	else if (source.live)
		make('button', 'compare the next range with this one', line).onclick = () => view.set({ base: range.map(Math.round).join() });
	const file = /** @type {HTMLInputElement} */ (make('input', '', make('label', ' compare with ', line)));
	Object.assign(file, { type: 'file', accept: '.html,.folded,.txt', title: 'of sonde export --html or --to folded' });
	file.onchange = () => {
		otherFile = file.files?.[0] || null;
		view.set({ base: otherFile ? 'file ' + otherFile.name : '' });
	};
}

/** What the graph is compared with. @param {import('./registry.js').App} app @returns {Promise<{text: string, name: string} | null>} */
async function baseOf({ source, view }) {
	const { base, flame } = view.is, [from, to] = base.split(',').map(Number);
	if (base.startsWith('file '))
		return otherFile && { text: await foldedOf(otherFile, flame === OFF), name: otherFile.name };
	return base && source.flame ? { text: await source.flame(from, to, flame === OFF), name: 'the range before' } : null;
}

addPanel({
	id: 'flame',
	title: 'Flame graph',
	show: async (box, app) => {
		const { info, source, view } = app;
		if (!source.flame || !info.has.stacks) {
			showNeeds(box, info, ['stacks']);
			make('p', 'Or samples of what runs: ', box).append(make('code', 'sonde record -F 99 COMMAND'));
			return;
		}
		const [from, to] = view.chosen, is = view.is.flame, isOff = is === OFF, only = isOff ? '' : is;
		addChoices(box, app, [from, to]);
		const about = make('p', 'counting …', box), base = await baseOf(app), root = treeOf(await source.flame(from, to, isOff), only), other = base && treeOf(base.text, only);
		let compared = '';
		if (base && other) {
			compareTrees(root, other, other.n);
			compared = `; red: a larger share than in ${base.name}, blue: a smaller one; ${percent(goneOf(other, root) / Math.max(other.n, 1))} of that is in functions that are not here`;
		}
		const search = /** @type {HTMLInputElement} */ (make('input', '', box)), mark = () => {
			for (const e of graph.children)
				e.classList.toggle('found', !!search.value && (e.textContent || '').toLowerCase().includes(search.value.toLowerCase()));
		};
		Object.assign(search, { type: 'search', placeholder: 'search functions', ariaLabel: 'search functions', oninput: mark });
		const unit = isOff ? 'µs off CPU' : 'events', graph = /** @type {HTMLElement} */ (make('div', '', box, 'flame'));
		const zoom = (/** @type {Node} */ node) => {
			graph.textContent = '';
			about.textContent = !root.n ? 'Nothing in this range: ' + (isOff ? 'it needs switches with stacks: sonde record -g -e sched:sched_switch COMMAND' : 'no such event has a stack') :
				`${node.n} ${unit}${node === root ? '' : ' in ' + node.name}${source.live ? '' : ', of the whole page'}; a click zooms, all is at the top${compared}`;
			if (node !== root)
				placeNode(graph, root, { ...root, kids: new Map() }, 0, 0, 1 / root.n, unit, () => zoom(root));
			graph.style.height = 17 * (node.n ? placeNode(graph, root, node, node === root ? 0 : 1, 0, 1 / node.n, unit, zoom) : 0) + 'px';
			mark();
		};
		zoom(root);
	},
});
