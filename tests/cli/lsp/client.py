#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""client.py SONDE: plays an editor. Reads a scene from standard input and prints what the server answers, shortened.

    text NAME           the lines up to a lone "." are a document, opened under that name
    change TEXT -> NEW  the first TEXT is replaced, sent as a change of that range (\\n is a line's end)
    complete|hover|define|signature|refer TEXT|REST    asks where the bar is, at the first such place
    rename NAME TEXT|REST    what would change, and the text after it
    symbols, format
    raw METHOD JSON     any request
"""
import json
import subprocess
import sys


class Server:
    def __init__(self, sonde):
        self.p = subprocess.Popen([sonde, 'lsp'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last = 0

    def send(self, method, params, request):
        m = {'jsonrpc': '2.0', 'method': method, 'params': params}
        if request:
            self.last += 1
            m['id'] = self.last
        self.put(json.dumps(m, ensure_ascii=len(method) % 2 == 0).encode())

    def put(self, body):
        self.p.stdin.write(b'Content-Length: %d\r\nContent-Type: x\r\n\r\n' % len(body) + body)
        self.p.stdin.flush()

    def get(self):
        length = 0
        while True:
            line = self.p.stdout.readline()
            if line == b'\r\n':
                return json.loads(self.p.stdout.read(length))
            if not line:
                return None
            if line.lower().startswith(b'content-length:'):
                length = int(line.split(b':')[1])

    def ask(self, method, params):
        self.send(method, params, True)
        m = self.get()
        assert m['id'] == self.last, m
        return m.get('result', m.get('error'))


def position(text, offset):
    before = text[:offset]
    line = before.rpartition('\n')[2]
    return {'line': before.count('\n'), 'character': len(line.encode('utf-16-le')) // 2}


def shown(r):
    a, b = r['start'], r['end']
    return f"{a['line']}:{a['character']}-{b['line']}:{b['character']}"


def diagnostics(s):
    m = s.get()['params']
    if not m['diagnostics']:
        print('    fine')
    for d in m['diagnostics']:
        print(f"    {shown(d['range'])} {d['code']} {d['severity']}: " + d['message'].replace('\n', ' | '))
        for i in d.get('relatedInformation', []):
            print(f"        {shown(i['location']['range'])}: {i['message']}")


def show_completion(r):
    for i in r['items'][:12]:
        print(f"    {i['label']}  {i.get('detail', '')}  <{i['textEdit']['newText']}> {shown(i['textEdit']['range'])}")
    if len(r['items']) > 12 or r['isIncomplete']:
        print('    ...')


def show_hover(r):
    print('\n'.join('    ' + line for line in (r['contents']['value'].splitlines() if r else ['nothing'])))


def show_definition(r):
    print('   ', shown(r['range']) if r else 'nowhere')


def show_signature(r):
    if not r:
        return print('    none')
    sig = r['signatures'][0]
    print('   ', sig['label'], '-', sig['parameters'][r['activeParameter']]['label'] if sig['parameters'] else '')


def show_references(r):
    print('   ', ' '.join(shown(i['range']) for i in r) if r else 'none')


def renamed(text, r):
    if 'changes' not in r:
        return '    ' + r['message']
    lines = text.encode('utf-16-le')
    starts, at = [0], 0
    for line in text.split('\n'):
        at += len(line.encode('utf-16-le')) + 2
        starts.append(at)
    for e in sorted(next(iter(r['changes'].values())), key=lambda e: (e['range']['start']['line'], e['range']['start']['character']), reverse=True):
        a, b = (starts[p['line']] + 2 * p['character'] for p in (e['range']['start'], e['range']['end']))
        lines = lines[:a] + e['newText'].encode('utf-16-le') + lines[b:]
    return '\n'.join('    ' + line for line in lines.decode('utf-16-le').splitlines())


ASK = {'complete': ('completion', show_completion), 'hover': ('hover', show_hover),
       'define': ('definition', show_definition), 'signature': ('signatureHelp', show_signature), 'refer': ('references', show_references)}


def main():
    s, uri, text = Server(sys.argv[1]), None, ''
    r = s.ask('initialize', {'processId': None, 'rootUri': None, 'capabilities': {}})
    print(r['serverInfo']['name'], r['capabilities']['positionEncoding'])
    s.send('initialized', {}, False)
    lines = iter(sys.stdin.read().splitlines())
    for line in lines:
        word, _, rest = line.partition(' ')
        if not word:
            continue
        print('>', line)
        if word == 'text':
            uri, text = 'file:///scene/' + rest, ''
            for line in iter(lambda: next(lines), '.'):
                text += line + '\n'
            s.send('textDocument/didOpen', {'textDocument': {'uri': uri, 'languageId': 'sonde', 'version': 1, 'text': text}}, False)
            diagnostics(s)
        elif word == 'change':
            old, _, new = rest.replace('\\n', '\n').partition(' -> ')
            at = text.index(old)
            r = {'start': position(text, at), 'end': position(text, at + len(old))}
            text = text[:at] + new + text[at + len(old):]
            s.send('textDocument/didChange', {'textDocument': {'uri': uri, 'version': 2},
                                              'contentChanges': [{'range': r, 'text': new}]}, False)
            diagnostics(s)
        elif word in ASK:
            method, show = ASK[word]
            before, _, after = rest.partition('|')
            at = text.index(before + after) + len(before)
            show(s.ask('textDocument/' + method, {'textDocument': {'uri': uri}, 'position': position(text, at)}))
        elif word == 'rename':
            name, _, rest = rest.partition(' ')
            before, _, after = rest.partition('|')
            at = {'textDocument': {'uri': uri}, 'position': position(text, text.index(before + after) + len(before))}
            may = s.ask('textDocument/prepareRename', at)
            print('   ', shown(may) if may else 'no name')
            print(renamed(text, s.ask('textDocument/rename', dict(at, newName=name))))
        elif word == 'symbols':
            for i in s.ask('textDocument/documentSymbol', {'textDocument': {'uri': uri}}):
                print('   ', i['kind'], i['name'], shown(i['range']))
        elif word == 'format':
            r = s.ask('textDocument/formatting', {'textDocument': {'uri': uri}, 'options': {}})
            print('\n'.join('    ' + line for line in (r[0]['newText'].splitlines() if r else ['nothing'])))
        elif word == 'raw':
            method, _, params = rest.partition(' ')
            print('   ', json.dumps(s.ask(method, json.loads(params or '{}'))))
        elif word == 'close':
            s.send('textDocument/didClose', {'textDocument': {'uri': uri}}, False)
            diagnostics(s)
    print('shutdown', s.ask('shutdown', None))
    s.send('exit', None, False)
    s.p.stdin.close()
    print('status', s.p.wait())


if __name__ == '__main__':
    main()
