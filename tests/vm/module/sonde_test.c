// SPDX-License-Identifier: GPL-2.0
/*
 * A module with all that a tracer of kernels meets: events, a bare tracepoint, functions with arguments of
 * every kind. Nothing happens by itself: a line "JOB NUMBER TEXT" written to /proc/sonde_test calls one job
 * with values that follow from the line, so a test knows what must be seen.
 */
#include <linux/fs.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/kdev_t.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/percpu.h>
#include <linux/proc_fs.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <net/sock.h>

#define CREATE_TRACE_POINTS
#include "trace.h"

/* A function that stays one: not inlined, cloned, or robbed of arguments that are not used. */
#define kept __attribute__((__noinline__, __noclone__, __used__))
#define keep(x) asm volatile("" : : "r"(x) : "memory")

int kept sonde_object(struct sonde_object *object, int n);
long kept sonde_point(struct sonde_point point, int n);
long kept sonde_range(int n, struct sonde_range range, int last);
long kept sonde_big(struct sonde_big big, int n);
long kept sonde_many(int a, long b, short c, char d, u64 e, s8 f, int g, const char *h);
enum sonde_color kept sonde_color(enum sonde_color color);
int kept sonde_call(int (*fn)(int x), int x);
int kept sonde_double(int x);
struct sonde_object *kept sonde_find(struct sonde_object *object);
const char *kept sonde_string(const char *text, const char **list);
s8 kept sonde_narrow(s8 small, bool flag, u16 word);
int kept sonde_opened(struct file *file, const struct path *path, struct inode *inode);
int kept sonde_sock(struct sock *sk);
int kept sonde_skb(struct sk_buff *skb);
void kept sonde_nothing(void);
int kept sonde_link(struct list_head *link);
int kept sonde_deep(int n);

DEFINE_PER_CPU(u64, sonde_counter);
u64 sonde_global = 4711;
struct sonde_point sonde_origin = { 3, 4 };

int kept sonde_object(struct sonde_object *object, int n)
{
	keep(object);
	return object->id + n;
}

long kept sonde_point(struct sonde_point point, int n)
{
	keep(n);
	return point.x + point.y;
}

long kept sonde_range(int n, struct sonde_range range, int last)
{
	keep(n);
	keep(last);
	return range.to - range.from;
}

long kept sonde_big(struct sonde_big big, int n)
{
	keep(n);
	return big.v[0] + big.v[3];
}

long kept sonde_many(int a, long b, short c, char d, u64 e, s8 f, int g, const char *h)
{
	keep(h);
	return a + b + c + d + e + f + g;
}

enum sonde_color kept sonde_color(enum sonde_color color)
{
	keep(color);
	return color == SONDE_RED ? SONDE_GREEN : SONDE_BLUE;
}

int kept sonde_double(int x)
{
	keep(x);
	return 2 * x;
}

int kept sonde_call(int (*fn)(int x), int x)
{
	keep(fn);
	return fn(x);
}

struct sonde_object *kept sonde_find(struct sonde_object *object)
{
	keep(object);
	return object->self;
}

const char *kept sonde_string(const char *text, const char **list)
{
	keep(list);
	return list[1];
}

s8 kept sonde_narrow(s8 small, bool flag, u16 word)
{
	keep(flag);
	keep(word);
	return -small;
}

int kept sonde_opened(struct file *file, const struct path *path, struct inode *inode)
{
	keep(file);
	keep(path);
	keep(inode);
	return 0;
}

int kept sonde_sock(struct sock *sk)
{
	keep(sk);
	return 0;
}

int kept sonde_skb(struct sk_buff *skb)
{
	keep(skb);
	return 0;
}

void kept sonde_nothing(void)
{
	keep(0);
}

int kept sonde_link(struct list_head *link)
{
	keep(link);
	return 0;
}

int kept sonde_deep(int n)
{
	int below = n ? sonde_deep(n - 1) : (sonde_nothing(), 0);

	keep(below);
	return below + 1;
}

/* The kernel has a static function of this name, too (fs/proc/base.c). */
static int kept comm_write(int n)
{
	keep(n);
	return n + 1;
}

/* ---- jobs */

static struct sonde_object *make_object(int n, const char *text)
{
	struct sonde_object *o = kzalloc(sizeof(*o) + 4 * sizeof(o->tail[0]), GFP_KERNEL);
	struct sonde_level3 *three = kzalloc(sizeof(*three), GFP_KERNEL);
	int i;

	if (!o || !three) {
		kfree(o);
		kfree(three);
		return NULL;
	}
	o->id = n;
	o->low = 5;
	o->middle = 4321;
	o->sign = -7;
	o->wide = 0x1234567890ULL;
	o->word.whole = 0x1122334455667788ULL;
	o->inner = n + 1;
	o->as_int = 0x44434241;
	o->color = SONDE_BLUE;
	o->flag = true;
	strscpy(o->text, text, sizeof(o->text));
	for (i = 0; i < 6; i++)
		o->matrix[i / 3][i % 3] = i * 10;
	o->points[1].x = -1;
	o->points[1].y = n;
	o->call = sonde_double;
	o->two.three = three;
	three->four.value = n * 1000L;
	three->four.name = text;
	INIT_LIST_HEAD(&o->link);
	o->dev = MKDEV(8, 17);
	o->self = o;
	o->n = 4;
	for (i = 0; i < o->n; i++)
		o->tail[i] = n + i;
	return o;
}

static void job_object(struct file *file, int n, const char *text)
{
	struct sonde_object *o = make_object(n, text);

	if (!o)
		return;
	o->file = file;
	sonde_object(o, n);
	sonde_find(o);
	sonde_link(&o->link);
	kfree(o->two.three);
	kfree(o);
}

static void job_values(struct file *file, int n, const char *text)
{
	const char *list[] = { "first", "second" };

	sonde_point((struct sonde_point){ n, -n }, n);
	sonde_range(n, (struct sonde_range){ n, 10 * n }, -3);
	sonde_big((struct sonde_big){ { n, n + 1, n + 2, n + 3 } }, 6);
	sonde_many(1, -2, 3, 'd', ~0ULL, -6, n, text);
	sonde_color(SONDE_RED);
	sonde_call(sonde_double, n);
	sonde_string(text, list);
	sonde_narrow(-n, true, 65535);
	sonde_nothing();
	comm_write(n);
}

static void job_file(struct file *file, int n, const char *text)
{
	sonde_opened(file, &file->f_path, file_inode(file));
	trace_sonde_file(file, n);
}

static void job_foo(struct file *file, int n, const char *text)
{
	trace_foo_bar(text, n);
}

static void job_pair(struct file *file, int n, const char *text)
{
	trace_sonde_pair_begin(n, n * 2ULL);
	trace_sonde_pair_step(n + 1, n * 3ULL);
	trace_sonde_pair_end(-n, n * 4ULL);
}

static void job_text(struct file *file, int n, const char *text)
{
	trace_sonde_text(text, n);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0)
	trace_sonde_rel(text, n);
#endif
}

static void job_names(struct file *file, int n, const char *text)
{
	trace_sonde_names(n, SONDE_GREEN, sonde_double);
}

static void job_address(struct file *file, int n, const char *text)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(n), .sin_addr.s_addr = htonl(0x0a000000 + n) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(n) };

	in6.sin6_addr.s6_addr[0] = 0xfe;
	in6.sin6_addr.s6_addr[1] = 0x80;
	in6.sin6_addr.s6_addr[15] = (u8)n;
	trace_sonde_address(MKDEV(8, n), &in, &in6);
}

/* A socket and a packet that nobody sends; the packet holds TEXT. */
static void job_net(struct file *file, int n, const char *text)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(n), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sk_buff *skb = alloc_skb(256, GFP_KERNEL);
	struct socket *sock;

	if (skb) {
		skb_reserve(skb, 32);
		skb_reset_mac_header(skb);
		skb_put_data(skb, text, strlen(text));
		skb->protocol = htons(0x88b5);
		skb->mark = n;
		sonde_skb(skb);
		kfree_skb(skb);
	}
	if (sock_create_kern(&init_net, AF_INET, SOCK_DGRAM, IPPROTO_UDP, &sock) < 0)
		return;
	if (kernel_connect(sock, (void *)&in, sizeof(in), 0) == 0)
		sonde_sock(sock->sk);
	sock_release(sock);
}

static void job_counter(struct file *file, int n, const char *text)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(sonde_counter, cpu) = n + cpu;
	sonde_nothing();
}

static void job_deep(struct file *file, int n, const char *text)
{
	sonde_deep(n);
}

static void job_repeat(struct file *file, int n, const char *text)
{
	while (n-- > 0)
		sonde_double(n);
}

static const struct job {
	const char *name;
	void (*run)(struct file *file, int n, const char *text);
} jobs[] = {
	{ "object", job_object }, { "values", job_values }, { "file", job_file },	 { "foo", job_foo },
	{ "pair", job_pair },	  { "text", job_text },	    { "names", job_names },	 { "address", job_address },
	{ "net", job_net },	  { "counter", job_counter }, { "deep", job_deep },	 { "repeat", job_repeat },
};

static ssize_t on_write(struct file *file, const char __user *from, size_t len, loff_t *at)
{
	char line[64], name[16], text[32] = "";
	int n = 0, i;

	if (len >= sizeof(line) || copy_from_user(line, from, len))
		return -EINVAL;
	line[len] = '\0';
	if (sscanf(line, "%15s %d %31s", name, &n, text) < 1)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(jobs); i++)
		if (!strcmp(jobs[i].name, name)) {
			jobs[i].run(file, n, text);
			return len;
		}
	return -EINVAL;
}

static const struct proc_ops ops = { .proc_write = on_write };

static int __init sonde_test_init(void)
{
	return proc_create("sonde_test", 0200, NULL, &ops) ? 0 : -ENOMEM;
}

static void __exit sonde_test_exit(void)
{
	remove_proc_entry("sonde_test", NULL);
}

module_init(sonde_test_init);
module_exit(sonde_test_exit);
MODULE_DESCRIPTION("what a tracer is tested on");
MODULE_LICENSE("GPL");
