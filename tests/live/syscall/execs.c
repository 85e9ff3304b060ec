/* Replaces itself: by execve of a thread that is not the first, by execveat, or first of all by a program that is not there. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *const args[] = { "true", NULL };

static void *in_thread(void *none)
{
	execv("/bin/true", args);
	return none;
}

int main(int argc, char **argv)
{
	char path[] = "/nowhere"; /* on the stack: there is a page at the entry; that of the literals comes later */
	pthread_t t;

	execv("/nowhere/at/all", args);
	execv(path, args);
	if (argc > 1 && !strcmp(argv[1], "at"))
		syscall(SYS_execveat, AT_FDCWD, "/bin/true", args, NULL, 0x100 /* AT_SYMLINK_NOFOLLOW */);
	if (argc > 1 && !strcmp(argv[1], "at"))
		syscall(SYS_execveat, AT_FDCWD, "/bin/true", args, NULL, 0);
	pthread_create(&t, NULL, in_thread, NULL);
	pthread_join(t, NULL);
	return 1;
}
