// SPDX-License-Identifier: GPL-2.0-or-later
// A flame graph of the events of the range that have stacks: the outermost function is at the top, width is the number of events.
import { hue } from '../paint.js';
import { make } from '../words.js';
import { addPanel } from './registry.js';

/** @typedef {{name: string, n: number, kids: Map<string, Node>}} Node */

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

/** @param {HTMLElement} box @param {Node} root @param {Node} node @param {number} depth @param {number} left @param {number} scale
 * @param {(n: Node) => void} zoom @returns {number} rows */
function placeNode(box, root, node, depth, left, scale, zoom) {
	const e = /** @type {HTMLElement} */ (make('button', node.name, box));
	e.style.left = left * 100 + '%';
	e.style.width = node.n * scale * 100 + '%';
	e.style.top = depth * 17 + 'px';
	e.style.background = hue(node.name);
	e.title = `${node.name}: ${node.n} events, ${(100 * node.n / root.n).toFixed(1)} %`;
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
		const [from, to] = view.chosen, about = make('p', 'counting …', box), root = treeOf(await source.flame(from, to));
		const graph = /** @type {HTMLElement} */ (make('div', '', box, 'flame'));
		const zoom = (/** @type {Node} */ node) => {
			graph.textContent = '';
			about.textContent = `${node.n} events${node === root ? '' : ' in ' + node.name}${source.live ? '' : ', of the whole page'}; a click zooms, all is at the top`;
			if (node !== root)
				placeNode(graph, root, { ...root, kids: new Map() }, 0, 0, 1 / root.n, () => zoom(root));
			graph.style.height = 17 * (node.n ? placeNode(graph, root, node, node === root ? 0 : 1, 0, 1 / node.n, zoom) : 0) + 'px';
		};
		zoom(root);
	},
});
