/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timers and clocks. */
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/times.h>
#include "calls.h"

int main(void)
{
	struct itimerval iv = { { 1, 2 }, { 3, 4 } }, oiv;
	struct itimerspec is = { { 1, 2 }, { 3, 4 } }, ois;
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL,
			       .sigev_signo = SIGUSR1,
			       .sigev_value.sival_int = 5 };
	struct timespec ts = { 0, 1000 };
	struct timeval tv;
	struct timezone tz;
	struct timex tx = { 0 };
	struct tms tms;
	uint64_t n;
	int id, fd;

	setitimer(ITIMER_REAL, &iv, &oiv);
	getitimer(ITIMER_REAL, &oiv);
	getitimer(9, &oiv);
	memset(&iv, 0, sizeof(iv));
	setitimer(ITIMER_PROF, &iv, NULL);
	syscall(SYS_timer_create, CLOCK_MONOTONIC, &ev, &id);
	syscall(SYS_timer_settime, id, 0, &is, &ois);
	syscall(SYS_timer_settime, id, 1, &is, NULL);
	syscall(SYS_timer_gettime, id, &ois);
	syscall(SYS_timer_getoverrun, id);
	syscall(SYS_timer_delete, id);
	syscall(SYS_timer_delete, 99);
	ev.sigev_notify = SIGEV_NONE;
	syscall(SYS_timer_create, CLOCK_REALTIME, &ev, &id);
	syscall(SYS_timer_create, CLOCK_REALTIME, NULL, &id);
	syscall(SYS_timer_create, -6, NULL, &id);
	fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	timerfd_settime(fd, TFD_TIMER_ABSTIME, &is, NULL);
	timerfd_settime(fd, 0, &is, &ois);
	timerfd_gettime(fd, &ois);
	read(fd, &n, 8);
	syscall(SYS_clock_gettime, CLOCK_REALTIME, &ts);
	syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &ts);
	syscall(SYS_clock_gettime, 99, &ts);
	syscall(SYS_clock_gettime, -6, &ts);
	syscall(SYS_clock_getres, CLOCK_MONOTONIC_COARSE, &ts);
	syscall(SYS_clock_getres, CLOCK_TAI, NULL);
	syscall(SYS_clock_settime, CLOCK_MONOTONIC, &ts);
	ts = (struct timespec){ 0, 1000 };
	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &ts, NULL);
	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 1, &ts, &ts);
	syscall(SYS_nanosleep, &ts, NULL);
	ts.tv_nsec = -1;
	syscall(SYS_nanosleep, &ts, &ts);
	syscall(SYS_gettimeofday, &tv, &tz);
	syscall(SYS_gettimeofday, &tv, NULL);
	syscall(SYS_settimeofday, BAD, NULL);
	syscall(SYS_time, NULL);
	syscall(SYS_adjtimex, &tx);
	syscall(SYS_clock_adjtime, CLOCK_REALTIME, &tx);
	syscall(SYS_times, &tms);
	syscall(SYS_times, NULL);
	return 0;
}
