/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text and vocabulary of a script, ready to be parsed; see session/compile.c for the whole
 * pipeline. */
#include "cli/front.h"
#include "engine/kernel/kernel.h"
#include "session/import.h"
#include "session/system.h"

void front_init(struct front *f, const struct cli *c)
{
	struct config_error e;

	*f = (struct front){ 0 };
	arena_init(&f->arena);
	intern_init(&f->names);
	sources_init(&f->sources, &f->arena);
	diags_init(&f->diags, &f->arena, &f->sources);
	f->diags.no_warnings = c->request.compile.no_warnings;
	system_init(&f->system, &f->arena);
	system_world(&f->system, &f->env.world);
	config_defaults(&f->env.config);
	config_from_environment(&f->env.config,
				&e); /* errors there are reported where a script is compiled */
	f->env.themes = c->host.themes;
	f->env.features = kernel_features();
	f->env.request = &c->request;
	f->env.read_import = c->host.read_import ? c->host.read_import : import_read;
	env_init(&f->env);
	lang_init(&f->lang, &f->arena, &f->names, &f->sources, &f->diags, &f->env);
	f->src = sources_add(&f->sources, c->request.script.name, c->request.script.text,
			     c->request.script.len);
	f->src->is_generated = c->request.script.is_of_command;
}

void front_release(struct front *f)
{
	lang_release(&f->lang);
	env_release(&f->env);
	system_release(&f->system);
	intern_release(&f->names);
	arena_release(&f->arena);
}
