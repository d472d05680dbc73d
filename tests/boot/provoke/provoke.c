// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fails as told by a word written to /proc/provoke, in the writer's context, with no
 * lock held that the next one would wait for. Debian's kernels have no lkdtm.
 */
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

static noinline void provoke_warning(void)
{
	WARN(1, "as told\n");
}

static noinline void provoke_null(void)
{
	*(volatile int *)8 = 1;
}

static noinline void provoke_bug(void)
{
	BUG();
}

static noinline void provoke_lockup(void)
{
	preempt_disable();
	for (;;)
		cpu_relax();
}

static noinline void provoke_hung(void)
{
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule();
}

static ssize_t provoke_write(struct file *file, const char __user *from,
			     size_t n, loff_t *at)
{
	char word[16] = "";

	if (n >= sizeof(word) || copy_from_user(word, from, n))
		return -EINVAL;
	if (sysfs_streq(word, "warning"))
		provoke_warning();
	else if (sysfs_streq(word, "null"))
		provoke_null();
	else if (sysfs_streq(word, "bug"))
		provoke_bug();
	else if (sysfs_streq(word, "lockup"))
		provoke_lockup();
	else if (sysfs_streq(word, "hung"))
		provoke_hung();
	else
		return -EINVAL;
	return n;
}

static const struct proc_ops ops = { .proc_write = provoke_write };

static int __init provoke_init(void)
{
	return proc_create("provoke", 0200, NULL, &ops) ? 0 : -ENOMEM;
}

module_init(provoke_init);
MODULE_DESCRIPTION("fails as told");
MODULE_LICENSE("GPL");
