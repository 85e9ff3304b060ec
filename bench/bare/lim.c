/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads the programs of one question from lim.bpf.o, attaches them, runs a command, drains the ring
 * while it runs, and detaches: what remains of a tracer when nothing is general. Reads just enough
 * of the object: sections, symbols and R_BPF_64_64 relocations (Documentation/bpf/llvm_reloc.rst).
 *
 *	lim lim.bpf.o QUESTION [command [argument]...]
 */
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include "bare.h"
#include "sym/btf.h"

enum { DRAIN_MS = 4, MAX_MAPS = 8, COMM_STANDS_AT = 0x7f0, RELOC_64_64 = 1 };

struct map_def { /* as in lim.bpf.c */
	u32 type, key_size, value_size, max_entries, flags;
};

struct object {
	const u8 *bytes;
	const Elf64_Shdr *sections;
	u32 n_sections;
	const char *section_names;
	const Elf64_Sym *symbols;
	u32 maps_section, bss_section;
	int map_fd[MAX_MAPS], bss_fd, ring_fd;
	u64 ring_size;
};

static struct btf *btf;

static const void *at(const struct object *o, const Elf64_Shdr *s)
{
	return o->bytes + s->sh_offset;
}

static const char *name_of(const struct object *o, u32 section)
{
	return o->section_names + o->sections[section].sh_name;
}

static void read_object(struct object *o, const char *path)
{
	int fd = must(open(path, O_RDONLY | O_CLOEXEC), path);
	const Elf64_Ehdr *head;
	struct stat st;

	must(fstat(fd, &st), path);
	o->bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (o->bytes == MAP_FAILED)
		must(-1, path);
	close(fd);
	head = (const void *)o->bytes;
	o->sections = (const void *)(o->bytes + head->e_shoff);
	o->n_sections = head->e_shnum;
	o->section_names = at(o, &o->sections[head->e_shstrndx]);
	for (u32 i = 1; i < o->n_sections; i++) {
		if (o->sections[i].sh_type == SHT_SYMTAB)
			o->symbols = at(o, &o->sections[i]);
		if (!strcmp(name_of(o, i), "maps"))
			o->maps_section = i;
		if (!strcmp(name_of(o, i), ".bss"))
			o->bss_section = i;
	}
	o->bss_fd = o->ring_fd = -1;
	memset(o->map_fd, -1, sizeof(o->map_fd));
}

/* The descriptor of the map at an offset of the section "maps"; made on first use. */
static int map_at(struct object *o, u64 offset)
{
	u32 i = (u32)(offset / sizeof(struct map_def));
	const struct map_def *m = (const struct map_def *)at(o, &o->sections[o->maps_section]) + i;

	if (o->map_fd[i] >= 0)
		return o->map_fd[i];
	o->map_fd[i] = must(bpf_map_create(m->type, "lim", m->key_size, m->value_size,
					   m->max_entries, m->flags),
			    "map");
	if (m->type == BPF_MAP_TYPE_RINGBUF) {
		o->ring_fd = o->map_fd[i];
		o->ring_size = m->max_entries;
	}
	return o->map_fd[i];
}

static int bss(struct object *o)
{
	if (o->bss_fd < 0)
		o->bss_fd = must(bpf_map_create(BPF_MAP_TYPE_ARRAY, "lim", 4,
						(u32)o->sections[o->bss_section].sh_size, 1, 0),
				 "data");
	return o->bss_fd;
}

static void relocate(struct object *o, u32 section, struct bpf_insn *code)
{
	for (u32 i = 1; i < o->n_sections; i++) {
		const Elf64_Shdr *s = &o->sections[i];
		const Elf64_Rel *rel = at(o, s);

		if (s->sh_type != SHT_REL || s->sh_info != section)
			continue;
		for (u64 n = s->sh_size / sizeof(*rel); n; n--, rel++) {
			const Elf64_Sym *sym = &o->symbols[ELF64_R_SYM(rel->r_info)];
			struct bpf_insn *insn = code + rel->r_offset / sizeof(*code);

			if (ELF64_R_TYPE(rel->r_info) != RELOC_64_64)
				must(-1, "relocation");
			if (sym->st_shndx == o->maps_section) {
				insn->src_reg = BPF_PSEUDO_MAP_FD;
				insn->imm = map_at(o, sym->st_value);
			} else {
				insn->src_reg = BPF_PSEUDO_MAP_VALUE;
				insn[1].imm = insn->imm + (s32)sym->st_value;
				insn->imm = bss(o);
			}
		}
	}
}

/* Loads of task->comm are written with an offset that stands for the real one. */
static void set_comm_offset(struct bpf_insn *code, u32 n)
{
	const struct type *task;
	u32 offset = 0;

	for (u32 i = 0; i < n; i++) {
		if (code[i].code != (BPF_LDX | BPF_MEM | BPF_DW) ||
		    (code[i].off & ~8) != COMM_STANDS_AT)
			continue;
		if (!offset) {
			task = btf_type_by_name(btf, 's', "task_struct");
			if (!task || !type_field(task, "comm", &offset))
				must(-1, "task_struct.comm");
		}
		code[i].off = (s16)(offset + (code[i].off & 8));
	}
}

static int open_event(const char *name)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.size = sizeof(attr),
					.sample_period = 1 };
	unsigned long long id = 0;
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", name);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%llu", &id) != 1)
		must(-1, path);
	fclose(f);
	attr.config = id;
	return must(perf_event_open(&attr, -1, 0, -1, 0), "perf_event_open");
}

static void load_and_attach(struct object *o, u32 section, const char *kind)
{
	const char *where = strchr(kind, '/') + 1;
	u32 n = (u32)(o->sections[section].sh_size / sizeof(struct bpf_insn)), type_id = 0;
	struct bpf_load l = { .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
			      .n_insns = n,
			      .name = "lim" };
	static struct bpf_insn code[4096];
	struct btf_param params[12];
	static char log[65536];
	int fd;

	memcpy(code, at(o, &o->sections[section]), n * sizeof(*code));
	relocate(o, section, code);
	set_comm_offset(code, n);
	l.insns = code;
	if (*kind == 'p')
		l.prog_type = BPF_PROG_TYPE_TRACEPOINT;
	if (*kind == 'b') {
		must(btf_raw_tracepoint(btf, where, params, ARRAY_SIZE(params), &type_id), where);
		l.prog_type = BPF_PROG_TYPE_TRACING;
		l.attach_type = ATTACH_TRACE_RAW_TP;
		l.attach_btf_id = type_id;
	}
	fd = bpf_prog_load(&l);
	if (fd < 0) {
		l.log = log;
		l.log_size = sizeof(log);
		l.log_level = 1;
		bpf_prog_load(&l);
		fprintf(stderr, "%s: %s\n", name_of(o, section), log);
		must(fd, "load");
	}
	if (*kind == 'p')
		must(ioctl(open_event(where), PERF_EVENT_IOC_SET_BPF, fd), "attach");
	else
		must(bpf_raw_tracepoint_open(*kind == 'b' ? NULL : where, fd, 0), "attach");
}

static void attach_question(struct object *o, const char *question)
{
	size_t len = strlen(question);
	u32 n = 0;

	for (u32 i = 1; i < o->n_sections; i++) {
		const char *name = name_of(o, i);

		if (o->sections[i].sh_type != SHT_PROGBITS || strncmp(name, question, len) ||
		    name[len] != '/')
			continue;
		load_and_attach(o, i, name + len + 1);
		n++;
	}
	if (!n) {
		fprintf(stderr, "lim: no question %s\n", question);
		exit(2);
	}
}

/* Everything that waits is thrown away every few milliseconds, until the command ends. */
static int run_command(const struct object *o, char **command)
{
	struct timespec pause = { 0, DRAIN_MS * 1000000 };
	u64 *consumer = NULL, *producer = NULL;
	pid_t pid = must(vfork(), "vfork");
	int status;

	if (pid == 0) {
		execvp(command[0], command);
		_exit(127);
	}
	if (o->ring_fd >= 0) {
		consumer = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, o->ring_fd, 0);
		producer = mmap(NULL, 4096, PROT_READ, MAP_SHARED, o->ring_fd, 4096);
		if (consumer == MAP_FAILED || producer == MAP_FAILED)
			must(-1, "ring");
	}
	while (waitpid(pid, &status, consumer ? WNOHANG : 0) != pid) {
		__atomic_store_n(consumer, __atomic_load_n(producer, __ATOMIC_ACQUIRE),
				 __ATOMIC_RELEASE);
		nanosleep(&pause, NULL);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	struct object o = { 0 };
	struct arena arena;
	struct err err = { 0 };

	if (argc < 3)
		return 2;
	arena_init(&arena);
	btf = btf_open(&arena, NULL, &err);
	if (!btf)
		must(-1, "BTF");
	read_object(&o, argv[1]);
	attach_question(&o, argv[2]);
	return argc > 3 ? run_command(&o, argv + 3) : 0;
}
