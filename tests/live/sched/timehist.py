#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""timehist.py SONDE SEEDS: sonde sched beside perf sched, with each option, on recordings made of random switches, wake-ups, migrations and idle processors.
Compared are all lines and figures; left out are names of threads (perf takes them from records of its own file), its column of parents, of which a
recording has none, and the number of processors, which perf takes one too high. With -p and -t perf prints no totals."""
import random
import re
import subprocess
import sys

OPTIONS = ('', '-s', '-S', '-w', '-M', '-n', '-wn', '-wM', '-Ms', '-V', '-I', '-I -s', '-I -S', '--state', '--state -s', '-nM --state', '-t 1001,1003', '-t 1002 -w',
           '-t 1004 -S', '--time 100.02,100.09', '--time 100.02,100.09 -S', '--time 100.05, -s', '--time ,100.06 -w', '-C 0,2', '-C 1 -S', '-C 1 -I')


def make(file, seed, cpus=3, has_runtimes=False, n=400):
    chance = random.Random(seed)
    tids, time = list(range(1000, 1008)), 100_000_000
    running, state, place = dict.fromkeys(range(cpus), 0), dict.fromkeys(tids, 'S'), {t: t % cpus for t in tids}
    lines = ['# tracer: nop']

    def say(cpu, text):
        name = f't{running[cpu]}' if running[cpu] else '<idle>'
        lines.append(f'{name:>16}-{running[cpu]:<5} [{cpu:03d}] d... {time / 1e6:.6f}: {text}')

    def switch(cpu):
        here, ready = running[cpu], [t for t in tids if state[t] == 'ready' and place[t] == cpu]
        following = chance.choice(ready) if ready and chance.random() < .8 else 0
        if here == following:
            return
        leaves = chance.choice('SSDRT' if following else 'SDT') if here else 'R'
        if here and has_runtimes:
            say(cpu, f'sched_stat_runtime: comm=t{here} pid={here} runtime={chance.randint(1, 999999)} [ns]')
        names = [f't{t}' if t else f'swapper/{cpu}' for t in (here, following)]
        say(cpu, f'sched_switch: prev_comm={names[0]} prev_pid={here} prev_prio=120 prev_state={leaves} ==> next_comm={names[1]} next_pid={following} next_prio=120')
        if here:
            state[here] = 'ready' if leaves == 'R' else leaves
        running[cpu] = following
        if following:
            state[following] = 'running'

    for _ in range(n):
        time += chance.randint(1, 900)
        cpu, what, t = chance.randrange(cpus), chance.random(), chance.choice(tids)
        if what < .35 and state[t] in 'SDT':
            for name in 'waking', 'wakeup':
                say(cpu, f'sched_{name}: comm=t{t} pid={t} prio=120 target_cpu={place[t]:03d}')
            state[t] = 'ready'
        elif what < .45 and state[t] != 'running':
            before, place[t] = place[t], chance.randrange(cpus)
            if place[t] != before:
                say(cpu, f'sched_migrate_task: comm=t{t} pid={t} prio=120 orig_cpu={before} dest_cpu={place[t]}')
        elif what > .45:
            switch(cpu)
    with open(file, 'w', encoding='utf-8') as f:
        print('\n'.join(lines), file=f)


def numbers(text, options, of_perf):
    """Lines without names; sums in order of their figures."""
    out, sums, is_sum = [], [], False
    for line in text.splitlines():
        line = line.rstrip()
        if re.match(r' +\d+\.\d+ \[\d+\]', line):
            line = re.sub(r'(\[\d+\] +)([is ]*?)  ?(<idle>|t\d+\S*|swapper\S*|:\d+\S*)', lambda m: m[1].split()[0] + ' ' + m[2].strip(), line)
            line = re.sub(r'(awakened|migrated|next): *(<idle>|[^ ]+)', r'\1', line)
            out.append(' '.join(line.split()))
        elif is_sum and re.match(r' +(t\d+|:\d+)', line):
            words = line.split()[1:]
            sums.append(' '.join(words[1:] if of_perf else words))
        elif 'summary' in line:
            is_sum = True
        elif re.match(r' +CPU +\d+ idle for', line) or (re.match(' *Total', line) and not re.search('-[pt] ', options)):
            out.append(' '.join(re.sub(r'\(x \d+\)|Total (run|idle) time', '', line).split()))
    return out + sorted(sums)


def compare(sonde, options):
    """What differs of sonde and of perf, and how many lines there were."""
    mine = subprocess.run([sonde, 'sched', 'timehist', *options.split(), '--from', 'x.perf'], check=False, capture_output=True, text=True)
    perf = subprocess.run(['perf', 'sched', 'timehist', *options.split(), '-i', 'x.perf'], check=False, capture_output=True, text=True)
    a, b = numbers(mine.stdout, options, False), numbers(perf.stdout, options, True)
    return ([x for x in zip(a, b) if x[0] != x[1]] or ([] if len(a) == len(b) else [(len(a), len(b))]) or ([] if len(a) > 3 else [mine]))[:3], len(a)


def plain(text):
    """Lines of latency and map without names of threads, which perf has from its own records."""
    lines = [re.sub(r'secs.*?( \(CPU \d+\))?$', r'secs\1', re.sub(r'^ *\S*:(\d+|\(\d+\)) *\|', r'\1 |', line.rstrip())) for line in text.splitlines()]
    return [' '.join(line.replace('|', ' ').split()) for line in lines if re.match(r'\d+ \|', line) or ' secs' in line]


def compare_others(sonde, mine, perf):
    a, b = (plain(subprocess.run(words, check=False, capture_output=True, text=True).stdout) for words in
            ([sonde, 'sched', *mine.split(), '--from', 'x.perf'], ['perf', 'sched', *perf.split(), '-i', 'x.perf']))
    return [x for x in zip(a, b) if x[0] != x[1]] or ([] if len(a) == len(b) > 3 else [(len(a), len(b))])


def main():
    sonde = sys.argv[1]
    for mine, perf in (('latency --pids', 'latency -p'), ('latency --pids -s runtime', 'latency -p -s runtime'), ('latency --pids --sort switch,max', 'latency -p -s switch,max'),
                       ('map', 'map'), ('map --compact', 'map --compact')):
        wrong = []
        for seed in range(int(sys.argv[2])):
            make('x', seed, 2, True)  # perf's map has the columns of this machine, at least 2
            subprocess.run([sonde, 'export', '--to', 'perf', '-o', 'x.perf', 'x'], check=True, stderr=subprocess.DEVNULL)
            wrong += compare_others(sonde, mine, perf)
        print(f'{mine}: {f"WRONG {wrong[:3]}" if wrong else "equal"}')
    for options in OPTIONS:
        wrong = []
        for seed in range(int(sys.argv[2])):
            make('x', seed)
            subprocess.run([sonde, 'export', '--to', 'perf', '-o', 'x.perf', 'x'], check=True, stderr=subprocess.DEVNULL)
            wrong += compare(sonde, options)[0]
        print(f'timehist {options}: {f"WRONG {wrong[:3]}" if wrong else "equal"}')


main()
