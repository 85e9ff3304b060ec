/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -u USER. In: a name. Out: the IDs of the command, from /etc/passwd and /etc/group (passwd(5),
 * group(5)); like names of users in output, without the name service: the static program has none.
 */
#include <stdlib.h>
#include <unistd.h>
#include "cli/traced_user.h"
#include "type/traced.h"

/* Field n of a line "a:b:c"; len: its bytes. NULL: the line has no such field. */
static const char *field(const char *line, u32 n, size_t *len)
{
	for (; n; n--) {
		line += strcspn(line, ":\n");
		if (*line++ != ':')
			return NULL;
	}
	*len = strcspn(line, ":\n");
	return line;
}

static bool field_is(const char *line, u32 n, const char *text)
{
	size_t len;
	const char *s = field(line, n, &len);

	return s && len == strlen(text) && !memcmp(s, text, len);
}

static u32 field_number(const char *line, u32 n)
{
	size_t len;
	const char *s = field(line, n, &len);

	return s ? (u32)strtoul(s, NULL, 10) : 0;
}

static bool lists_member(const char *line, const char *name)
{
	size_t len, n;
	const char *s = field(line, 3, &len);

	for (const char *end = s ? s + len : NULL; s && s < end; s += n + 1) {
		n = strcspn(s, ",:\n");
		if (n == strlen(name) && !memcmp(s, name, n))
			return true;
	}
	return false;
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return *line ? line + 1 : line;
}

static void add_groups(struct traced_user *u, const char *groups, const char *name)
{
	u->groups[u->n_groups++] = u->gid;
	for (const char *line = groups; *line; line = next_line(line))
		if (u->n_groups < ARRAY_SIZE(u->groups) && lists_member(line, name))
			u->groups[u->n_groups++] = field_number(line, 2);
}

int set_traced_user(struct cli *c, const char *name)
{
	struct traced_user *u = arena_new(&c->line.arena, struct traced_user);
	struct buf users = { 0 }, groups = { 0 };
	const char *line;

	buf_read_file(&users, "/etc/passwd");
	buf_read_file(&groups, "/etc/group");
	for (line = users.s ? users.s : ""; *line && !field_is(line, 0, name);)
		line = next_line(line);
	if (*line) {
		u->uid = field_number(line, 2);
		u->gid = field_number(line, 3);
		add_groups(u, groups.s ? groups.s : "", name);
		c->request.traced.user = u;
	}
	buf_release(&users);
	buf_release(&groups);
	return c->request.traced.user ? 0 : say_usage(c, "cannot find user '%s'", name);
}
