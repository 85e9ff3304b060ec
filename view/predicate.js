// SPDX-License-Identifier: GPL-2.0-or-later
// Predicates of the language without a server, over the events of this document: comparisons of fields, of some variables and
// of numbers and texts, with && || ! & | and parentheses. What else the language has is an error that says so.

/** @typedef {{time: number, cpu: number, row: any[]}} EventHere */
/** @typedef {(e: EventHere) => any} Expr a number (a bigint if it is large), a text, or a boolean */

/** Operators from the weakest to the strongest, as in C. */
const LEVELS = [['||'], ['&&'], ['|'], ['&'], ['==', '!='], ['<=', '>=', '<', '>']];
const TOKEN = /\s*("(?:[^"\\]|\\.)*"|0x[\da-f]+|\d+|(?:args\.)?[a-z_]\w*|&&|\|\||[=!<>]=|[<>!&|()-])/iy;
/** Variables of the language that are not here; others are in `variables` below. A field of such a name is args.NAME. */
const ELSEWHERE = /^(uid|gid|username|numaid|ncpus|cgroup|rand|jiffies|curtask|cpid|elapsed|args|retval|probe|probetype|func|ctx|kstack|ustack|config|ppid|pcomm|usermode)$/;

export class Wrong extends Error {
	/** @param {string} text @param {number} at */
	constructor(text, at) {
		super(text);
		this.at = at;
	}
}

/** @param {any} a @param {any} b @param {string} op @param {number} at */
function compare(a, b, op, at) {
	if ((typeof a === 'string') !== (typeof b === 'string'))
		throw new Wrong('type mismatch: a text and a number', at);
	switch (op) {
	case '==': return a == b; /* 1n == 1 */
	case '!=': return a != b;
	}
	if (typeof a === 'string')
		throw new Wrong(`texts have no ${op}`, at);
	return op === '<' ? a < b : op === '>' ? a > b : op === '<=' ? a <= b : a >= b;
}

class Parser {
	/** @param {string} text @param {import('./data.js').Info} info */
	constructor(text, info) {
		this.text = text;
		this.info = info;
		this.next = '';
		this.at = this.end = 0;
		/** @type {Set<string>} fields that events must have */
		this.fields = new Set();
		this.step();
	}
	step() {
		TOKEN.lastIndex = this.end;
		const rest = /\S/.exec(this.text.slice(this.end)), found = TOKEN.exec(this.text);
		this.at = this.end + (rest ? rest.index : 0);
		if (rest && !found)
			throw new Wrong('this page has no server and knows comparisons with && || ! & | only: sonde view has the whole language', this.at);
		this.next = found ? found[1] : '';
		this.end = found ? TOKEN.lastIndex : this.text.length;
	}
	/** @param {string} token */
	skip(token) {
		if (this.next !== token)
			throw new Wrong(`expected ${token || 'an operator'}`, this.at);
		this.step();
	}
	/** @param {number} level @returns {Expr} */
	binary(level = 0) {
		let left = level < LEVELS.length ? this.binary(level + 1) : this.unary();
		while (level < LEVELS.length && LEVELS[level].includes(this.next)) {
			const a = left, op = this.next, at = this.at;
			this.step();
			const b = this.binary(level + 1);
			left = op === '||' ? e => a(e) || b(e) : op === '&&' ? e => a(e) && b(e) : op === '&' ? e => BigInt(a(e)) & BigInt(b(e)) :
				op === '|' ? e => BigInt(a(e)) | BigInt(b(e)) : e => compare(a(e), b(e), op, at);
		}
		return left;
	}
	/** @returns {Expr} */
	unary() {
		const token = this.next, at = this.at;
		if (!token)
			throw new Wrong('expected expression', at);
		this.step();
		if (token === '(') {
			const inner = this.binary();
			this.skip(')');
			return inner;
		}
		if (token === '!' || token === '-') {
			const of = this.unary();
			return token === '!' ? e => !of(e) : e => -of(e);
		}
		if (/^["\d]/.test(token)) {
			const is = token[0] === '"' ? JSON.parse(token) : Number(token), value = Number.isSafeInteger(is) || token[0] === '"' ? is : BigInt(token);
			return () => value;
		}
		if (/^[a-z_]/i.test(token))
			return this.name(token, at);
		throw new Wrong('expected expression', at);
	}
	/** @param {string} token @param {number} at @returns {Expr} */
	name(token, at) {
		/** @type {Record<string, Expr>} */
		const variables = { comm: e => e.row[3], tid: e => e.row[1], pid: e => e.row[2], cpu: e => e.cpu, nsecs: e => BigInt(this.info.from) + BigInt(e.time) };
		const name = token.replace(/^args\./, ''), isVariable = name === token;
		if (isVariable && variables[name])
			return variables[name];
		if (isVariable && ELSEWHERE.test(name))
			throw new Wrong(`${name} is not in this page: sonde view has it; a field of that name is args.${name}`, at);
		const places = this.info.fields.map(f => f.indexOf(name));
		if (!places.some(p => p >= 0))
			throw new Wrong(isVariable ? `Unknown identifier: '${name}'` : 'no event of the recording has such fields', at);
		this.fields.add(name);
		return e => {
			const value = e.row[5][places[e.row[0]]];
			if (value === null || value === undefined)
				throw new Wrong(`${name} is neither a number nor a text: sonde view has it`, at);
			return Array.isArray(value) ? BigInt(value[0]) : value;
		};
	}
}

/** What the text means, and by format whether its events have the fields. Wrong is thrown, also by what is returned.
 * @param {string} text @param {import('./data.js').Info} info @returns {{of: Expr, formats: boolean[]}} */
export function compile(text, info) {
	const parser = new Parser(text, info), of = parser.binary();
	parser.skip('');
	const formats = info.fields.map(f => [...parser.fields].every(name => f.includes(name)));
	if (!formats.includes(true))
		throw new Wrong('no event of the recording has such fields', 0);
	return { of, formats };
}
