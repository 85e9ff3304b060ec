/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/fd.h"
#include "base/json_read.h"
#include "cli/view/job.h"

static void be_child(struct job *j, int fd, int (*run)(struct job *j, void *ctx), void *ctx)
{
	sigset_t none;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(null, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	_exit(run(j, ctx));
}

bool job_start(struct job *j, size_t shared_len, int (*run)(struct job *j, void *ctx), void *ctx)
{
	int fds[2];

	job_end(j);
	if (pipe2(fds, O_CLOEXEC))
		return false;
	if (shared_len)
		j->shared = mmap(NULL, shared_len, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	j->shared_len = shared_len;
	j->pid = j->shared == MAP_FAILED ? -1 : fork();
	if (!j->pid)
		be_child(j, fds[1], run, ctx);
	close(fds[1]);
	j->fd = fds[0];
	if (j->pid > 0) {
		fcntl(j->fd, F_SETFL, O_NONBLOCK);
		return true;
	}
	j->pid = 0;
	close(j->fd);
	job_end(j);
	return false;
}

static void reap(struct job *j)
{
	int status = 0;

	close(j->fd);
	while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR)
		;
	j->pid = 0;
	j->is_done = true;
	j->status = WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

bool job_poll(struct job *j)
{
	char bytes[4096];
	ssize_t n = 0;

	if (!j->pid)
		return true;
	while ((n = read(j->fd, bytes, sizeof bytes)) > 0)
		buf_add(&j->said, bytes, (size_t)n);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	reap(j);
	return true;
}

int job_wait(struct job *j)
{
	while (!job_poll(j))
		poll(&(struct pollfd){ .fd = j->fd, .events = POLLIN }, 1, -1);
	return j->status;
}

u32 job_error(const struct job *j, struct buf *to)
{
	const char *said = j->said.s ? j->said.s : "it failed";
	struct arena a;
	u32 col = 0;
	bool is_found = false;

	arena_init(&a);
	for (const char *line = said; *line && !is_found;) {
		size_t len = strcspn(line, "\n");
		const struct json *json = json_read(&a, line, len, NULL);
		const char *text = json_text(json, "message"),
			   *severity = json_text(json, "severity");

		line += len + (line[len] == '\n');
		is_found = text && (!severity || streq(severity, "error"));
		if (!is_found)
			continue;
		buf_puts(to, text);
		col = (u32)MAX(json_int(json, "col"), 1);
	}
	if (!is_found)
		buf_add(to, said, strcspn(said, "\n"));
	arena_release(&a);
	return col;
}

void job_end(struct job *j)
{
	if (j->pid) {
		kill(j->pid, SIGKILL);
		reap(j);
	}
	if (j->shared && j->shared != MAP_FAILED)
		munmap(j->shared, j->shared_len);
	buf_release(&j->said);
	*j = (struct job){ 0 };
}
