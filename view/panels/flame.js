// SPDX-License-Identifier: GPL-2.0-or-later
// A flame graph of the events of the range that have stacks: the outermost function is at the top, width is the number of events.
import { hue } from '../paint.js';
import { make } from '../words.js';
import { addPanel } from './registry.js';

/** @typedef {{name: string, n: number, kids: Map<string, Node>, was?: number}} Node was: its share of the range that it is compared with */

/** @param {string} name @returns {Node} */
const nodeOf = name => ({ name, n: 0, kids: new Map() });

/** Lines "thread;event;outer;inner N". @param {string} text @returns {Node} */
export function treeOf(text) {
	const root = nodeOf('all');
	for (const line of text.split('\n')) {
		const end = line.lastIndexOf(' '), n = Number(line.slice(end + 1));
		if (end < 1 || !n)
			continue;
		let at = root;
		root.n += n;
		for (const name of line.slice(0, end).split(';')) {
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

/** @param {HTMLElement} box @param {Node} root @param {Node} node @param {number} depth @param {number} left @param {number} scale
 * @param {(n: Node) => void} zoom @returns {number} rows */
function placeNode(box, root, node, depth, left, scale, zoom) {
	const e = /** @type {HTMLElement} */ (make('button', node.name, box)), share = node.n / root.n;
	e.style.left = left * 100 + '%';
	e.style.width = node.n * scale * 100 + '%';
	e.style.top = depth * 17 + 'px';
	e.style.background = node.was === undefined ? hue(node.name) : tint(share - node.was);
	e.title = `${node.name}: ${node.n} events, ${percent(share)}${node.was === undefined ? '' : ', was ' + percent(node.was)}`;
	e.onclick = () => zoom(node);
	let rows = depth + 1;
	for (const kid of [...node.kids.values()].sort((a, b) => b.n - a.n)) {
		if (kid.n * scale < .0007)
			break;
		rows = Math.max(rows, placeNode(box, root, kid, depth + 1, left, scale, zoom));
		left += kid.n * scale;
	}
	return rows;
}

addPanel({
	id: 'flame',
	title: 'Flame graph',
	show: async (box, { info, source, view }) => {
		if (!source.flame || !info.has.stacks) {
			make('p', 'The recording has no stacks. They need: ', box).append(make('code', 'sonde record -g COMMAND'));
			return;
		}
		const [from, to] = view.chosen, about = make('p', 'counting …', box), { base } = view.is;
		const root = treeOf(await source.flame(from, to)), other = base ? treeOf(await source.flame(.../** @type {[number, number]} */ (base.split(',').map(Number)))) : null;
		let compared = '';
		if (other) {
			compareTrees(root, other, other.n);
			compared = `; red: a larger share than in the range before, blue: a smaller one; ${percent(goneOf(other, root) / Math.max(other.n, 1))} of that range is in functions that are not here`;
		}
		if (source.live)
			make('button', base ? 'compare no more' : 'compare the next range with this one', box).onclick = () => view.set({ base: base ? '' : [from, to].map(Math.round).join() });
		const graph = /** @type {HTMLElement} */ (make('div', '', box, 'flame'));
		const zoom = (/** @type {Node} */ node) => {
			graph.textContent = '';
			about.textContent = `${node.n} events${node === root ? '' : ' in ' + node.name}${source.live ? '' : ', of the whole page'}; a click zooms, all is at the top${compared}`;
			if (node !== root)
				placeNode(graph, root, { ...root, kids: new Map() }, 0, 0, 1 / root.n, () => zoom(root));
			graph.style.height = 17 * (node.n ? placeNode(graph, root, node, node === root ? 0 : 1, 0, 1 / node.n, zoom) : 0) + 'px';
		};
		zoom(root);
	},
});
