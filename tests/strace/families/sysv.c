/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System V: shared memory, semaphores, messages. */
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include "calls.h"

int main(void)
{
	struct {
		long type;
		char text[8];
	} m = { 3, "hello" };
	struct sembuf ops[2] = { { 0, 1, SEM_UNDO }, { 1, -1, IPC_NOWAIT } };
	struct timespec ts = { 0, 1000 };
	unsigned short v[2] = { 4, 5 };
	struct shmid_ds sd;
	struct msqid_ds md;
	struct semid_ds ed;
	struct seminfo si;
	int shm, sem, msg;
	void *at;

	shm = shmget(IPC_PRIVATE, 8192, IPC_CREAT | 0600);
	shmget(0x1234567, 0, 0);
	at = shmat(shm, NULL, SHM_RDONLY);
	shmctl(shm, IPC_STAT, &sd);
	shmctl(shm, IPC_SET, &sd);
	shmctl(shm, SHM_LOCK, NULL);
	shmdt(at);
	shmdt(BAD);
	shmctl(shm, IPC_RMID, NULL);
	sem = semget(IPC_PRIVATE, 2, IPC_CREAT | IPC_EXCL | 0644);
	semctl(sem, 0, SETALL, v);
	semctl(sem, 0, SETVAL, 5);
	semctl(sem, 0, GETVAL);
	semctl(sem, 0, GETALL, v);
	semctl(sem, 0, IPC_STAT, &ed);
	semctl(sem, 0, IPC_INFO, &si);
	semop(sem, ops, 1);
	semtimedop(sem, ops, 2, &ts);
	semop(sem, BAD, 1);
	semctl(sem, 0, IPC_RMID);
	msg = msgget(IPC_PRIVATE, IPC_CREAT | 0666);
	msgsnd(msg, &m, 5, IPC_NOWAIT);
	msgctl(msg, IPC_STAT, &md);
	msgctl(msg, IPC_SET, &md);
	msgrcv(msg, &m, 8, 3, MSG_NOERROR);
	msgrcv(msg, &m, 8, -3, IPC_NOWAIT);
	msgctl(msg, IPC_RMID, NULL);
	return 0;
}
