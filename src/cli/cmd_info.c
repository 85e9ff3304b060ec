/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde info: what this system can do. In: uname(2), the kernel features (tried, then remembered
 * for this boot), the providers. Out, as the reports of other tracers are laid out so that tools
 * can grep them:
 *
 *	Kernel features
 *	  btf: yes                      ringbuf: yes
 *
 * and the same as one JSON object with -f json.
 */
#include <ctype.h>
#include <dirent.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "arch/arch.h"
#include "base/json.h"
#include "cli/cli.h"
#include "cli/selftest.h"
#include "engine/kernel/kernel.h"
#include "output/output.h"
#include "object/dwarf_lib.h"

enum { ITEM_WIDTH = 32 };

struct report {
	struct buf b;
	bool json;
	u32 n_sections, n_items; /* of the section */
	size_t line;             /* where the line begins */
};

static void section(struct report *r, const char *title, const char *key)
{
	if (r->json)
		buf_printf(&r->b, "%s\"%s\": {", r->n_sections ? "}, " : "", key);
	else
		buf_printf(&r->b, "%s%s\n", r->n_sections ? "\n\n" : "", title);
	r->n_sections++;
	r->n_items = 0;
	r->line = r->b.len;
}

static void name_item(struct report *r, const char *name)
{
	if (r->json) {
		buf_puts(&r->b, r->n_items++ ? ", " : "");
		json_strz(&r->b, name);
		buf_puts(&r->b, ": ");
		return;
	}
	if (r->n_items % 2 == 0) {
		buf_puts(&r->b, r->n_items ? "\n" : "");
		r->line = r->b.len;
	} else {
		buf_pad(&r->b, ' ', MAX(ITEM_WIDTH, r->b.len - r->line + 1) - (r->b.len - r->line));
	}
	buf_printf(&r->b, "  %s: ", name);
	r->n_items++;
}

/* A text has the line for itself. */
static void text_item(struct report *r, const char *name, const char *value)
{
	r->n_items += !r->json && r->n_items % 2;
	name_item(r, name);
	if (r->json) {
		json_strz(&r->b, value);
	} else {
		buf_puts(&r->b, value);
		r->n_items++;
	}
}

static const char *answer_text(const struct report *r, enum feature_answer answer)
{
	switch (answer) {
	case FEATURE_YES: return r->json ? "true" : "yes";
	case FEATURE_NO: return r->json ? "false" : "no";
	case FEATURE_DENIED:
	case FEATURE_UNASKED: break;
	}
	return r->json ? "null" : "unknown";
}

static void answer_item(struct report *r, const char *name, enum feature_answer answer)
{
	name_item(r, name);
	buf_puts(&r->b, answer_text(r, answer));
}

static void yes_item(struct report *r, const char *name, bool yes)
{
	answer_item(r, name, yes ? FEATURE_YES : FEATURE_NO);
}

/* ---- sections */

/*
 * Scripts grep reports of bpftrace for some features ("loop: yes"): those have its names and are
 * where it has them; the others have the names of the rows.
 */
struct item {
	enum feature id;
	const char *name;
};

static const struct item helpers[] = {
	{ FEAT_TAI, "get_tai_ns" },
	{ FEAT_GET_FUNC_IP, "get_func_ip" },
	{ FEAT_LOOKUP_PERCPU, "lookup_percpu_elem" },
	{ FEAT_BPF_LOOP, "loop" },
	{ FEAT_TASK_BTF, NULL },
	{ FEAT_COOKIE, NULL },
	{ FEAT_FOR_EACH_MAP, NULL },
	{ FEAT_BOOT_NS, NULL },
	{ FEAT_NS_PID, NULL },
	{ FEAT_PROBE_WRITE_USER, NULL },
	{ FEAT_SIGNAL, NULL },
};

static const struct item ways_to_attach[] = {
	{ FEAT_KPROBE_MULTI, NULL },
	{ FEAT_UPROBE_MULTI, NULL },
	{ FEAT_KPROBE_SESSION, NULL },
};

static bool is_among(const struct item *items, u32 n, enum feature id)
{
	for (u32 i = 0; i < n; i++)
		if (items[i].id == id)
			return true;
	return false;
}

static const char *feature_name(enum feature id, char name[48])
{
	u32 n = 0;

	for (const char *s = feature_rows[id].name; *s && n < 47; s++)
		name[n++] = (char)tolower((u8)*s);
	name[n] = '\0';
	return name;
}

static void feature_item(struct report *r, const struct item *item)
{
	char name[48];

	answer_item(r, item->name ? item->name : feature_name(item->id, name),
		    feature_answer(kernel_features(), item->id));
}

static void feature_items(struct report *r, const struct item *items, u32 n)
{
	for (u32 i = 0; i < n; i++)
		feature_item(r, &items[i]);
}

static enum feature_answer either(enum feature a, enum feature b)
{
	enum feature_answer first = feature_answer(kernel_features(), a),
			    second = feature_answer(kernel_features(), b);

	return first == FEATURE_YES || second == FEATURE_NO ? first : second;
}

static void put_system(struct report *r)
{
	struct utsname u;
	char os[sizeof u.sysname + sizeof u.release + sizeof u.version], cpus[16];

	uname(&u);
	snprintf(os, sizeof os, "%s %s %s", u.sysname, u.release, u.version);
	snprintf(cpus, sizeof cpus, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	section(r, "System", "system");
	text_item(r, "OS", os);
	text_item(r, "Arch", u.machine);
	text_item(r, "kernel", u.release);
	text_item(r, "cpus", cpus);
	yes_item(r, "root", geteuid() == 0);
}

/* "yes", or why this user, or this machine, does not have it. */
static void put_engines(struct report *r)
{
	section(r, "Engines", "engines");
	for (u32 i = 0; named_engines[i]; i++) {
		const struct engine *e = named_engines[i];
		struct err err = { 0 };

		if (!e->check_rights || e->check_rights(&err) >= 0)
			text_item(r, e->name, "yes");
		else
			text_item(r, e->name, err.text);
		err_release(&err);
	}
}

static bool has_libdw(void)
{
	struct err err = { 0 };
	bool has = dw_load(&err);

	err_release(&err);
	return has;
}

static void yes_line(struct report *r, const char *name, bool yes)
{
	if (r->json)
		yes_item(r, name, yes);
	else
		text_item(r, name, yes ? "yes" : "no");
}

/* The first ones in bpftrace's words, without what it takes from libraries that sonde does not
 * use. */
static void put_build(struct report *r)
{
	section(r, "Build", "build");
	text_item(r, "version", SONDE_VERSION);
	text_item(r, "language", "bpftrace 0.27");
	yes_line(r, "LLVM", false);
	yes_line(r, "bfd", false);
	yes_line(r, "libdw (DWARF support)", has_libdw());
	yes_line(r, "libsystemd (systemd notify support)", false);
	yes_line(r, "blazesym (advanced symbolization)", false);
	yes_line(r, "dwunwind (DWARF stack unwinding)", true);
	text_item(r, "compiler", __VERSION__);
	yes_line(r, "static", SONDE_STATIC);
}

/* Types of modules are files beside the kernel's own. */
static bool has_module_btf(void)
{
	DIR *dir = opendir("/sys/kernel/btf");
	bool found = false;

	for (struct dirent *e; dir && (e = readdir(dir));)
		found |= e->d_name[0] != '.' && strcmp(e->d_name, "vmlinux");
	if (dir)
		closedir(dir);
	return found;
}

/* Limits of a program of privileged users since 5.2, and of others. */
static const char *instruction_limit(void)
{
	struct err err = { 0 };
	bool may = kernel_may_load(&err);

	err_release(&err);
	return may ? "1000000" : "4096";
}

static void put_features(struct report *r)
{
	section(r, "Kernel helpers", "helpers");
	answer_item(r, "dpath", either(FEAT_ITER_PATH, FEAT_LSM_PATH));
	feature_items(r, helpers, ARRAY_SIZE(helpers));
	section(r, "Kernel features", "features");
	name_item(r, "Instruction limit");
	buf_puts(&r->b, instruction_limit());
	feature_item(r, &(struct item){ FEAT_BTF, NULL });
	yes_item(r, "module btf", has_module_btf());
	for (u32 i = 0; i < N_FEATURES; i++)
		if (i != FEAT_BTF && !is_among(helpers, ARRAY_SIZE(helpers), i) &&
		    !is_among(ways_to_attach, ARRAY_SIZE(ways_to_attach), i))
			feature_item(r, &(struct item){ (enum feature)i, NULL });
}

/* Features that can attach a probe type: any one suffices. */
static enum feature_answer probe_answer(const struct provider *p)
{
	if (!p->feature)
		return FEATURE_YES;
	return either((enum feature)(p->feature - 1),
		      (enum feature)((p->feature_instead ? p->feature_instead : p->feature) - 1));
}

static void put_probes(struct report *r)
{
	section(r, "Probe types", "probe_types");
	feature_items(r, ways_to_attach, ARRAY_SIZE(ways_to_attach));
	for (u32 i = 0; providers[i]; i++)
		answer_item(r, providers[i]->name, probe_answer(providers[i]));
}

/* The rows with that answer: the feature, since which kernel, what replaces it. */
static void put_words(struct report *r, enum feature_answer answer, const char *title,
		      const char *key)
{
	char name[160];

	section(r, title, key);
	for (u32 i = 0; i < N_FEATURES; i++) {
		const struct feature_row *row = &feature_rows[i];

		if (feature_answer(kernel_features(), (enum feature)i) != answer)
			continue;
		snprintf(name, sizeof name, "%s (%s)", row->text, row->since);
		text_item(r, name, row->without);
	}
	if (!r->n_items && !r->json)
		buf_puts(&r->b, "  nothing");
}

static void put_rights(struct report *r)
{
	struct err err = { 0 };
	bool bpf = kernel_may_load(&err), perf = kernel_may_count(&err);

	section(r, "Rights", "rights");
	yes_item(r, "bpf", bpf);
	yes_item(r, "perf", perf);
	text_item(r, "lockdown", *kernel_lockdown() ? kernel_lockdown() : "unknown");
	text_item(r, "remedy", bpf && perf ? "none is needed" : err.help);
	err_release(&err);
}

/* The rows of type/features.def as they are, for programs and for -v. */
static void put_table(struct report *r)
{
	char name[48];

	if (r->json)
		buf_puts(&r->b, "}, \"table\": [");
	else
		buf_puts(&r->b, "\n\nIn words\n");
	for (u32 i = 0; i < N_FEATURES; i++) {
		const struct feature_row *row = &feature_rows[i];
		const char *answer =
			answer_text(r, feature_answer(kernel_features(), (enum feature)i));

		feature_name((enum feature)i, name);
		if (!r->json) {
			buf_printf(&r->b, "  %s: %s, %s (Linux %s); without it: %s\n", name, answer,
				   row->text, row->since, row->without);
			continue;
		}
		buf_printf(&r->b, "%s{\"name\": \"%s\", \"has\": %s, \"what\": ", i ? ", " : "",
			   name, answer);
		json_strz(&r->b, row->text);
		buf_puts(&r->b, ", \"since\": ");
		json_strz(&r->b, row->since);
		buf_puts(&r->b, ", \"without\": ");
		json_strz(&r->b, row->without);
		buf_putc(&r->b, '}');
	}
	if (r->json)
		buf_putc(&r->b, ']');
}

static int run(struct cli *c)
{
	struct report r = { .json = c->sink.output == &output_json };
	int ret;

	if (c->own.info.selftest_work)
		return selftest_work(c, c->own.info.selftest_work);
	if (c->own.info.refresh)
		kernel_features_refresh(kernel_features());
	if (c->own.info.selftest)
		return selftest(c);
	if (r.json)
		buf_putc(&r.b, '{');
	put_system(&r);
	put_rights(&r);
	put_engines(&r);
	put_build(&r);
	put_features(&r);
	put_probes(&r);
	put_words(&r, FEATURE_NO, "Without", "without");
	put_words(&r, FEATURE_DENIED, "Not known, because it may not be tried", "not_known");
	if (c->request.verbose || r.json)
		put_table(&r);
	else
		buf_putc(&r.b, '\n');
	if (r.json)
		buf_puts(&r.b, "}\n");
	ret = put_out(c, &r.b);
	buf_release(&r.b);
	return ret;
}

const struct command command_info = {
	.name = "info",
	.args = "",
	.brief = "print what this system supports",
	.doc = "Each feature of the kernel is tried once after a boot and remembered; --refresh "
	       "tries again. Without rights most are \"unknown\" (null in JSON), because trying them is not allowed. "
	       "\"Without\" lists what replaces missing features; -v describes all features. "
	       "--selftest runs known workloads and reports which probe types count correctly here; its status is 1 if one does not.",
	.example = "sonde info -f json",
	.takes = SET_FORMAT | SET_OUTPUT,
	.run = run,
};
