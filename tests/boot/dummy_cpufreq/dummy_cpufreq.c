// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A cpufreq driver without hardware, for guests, which have none: every CPU
 * gets its own policy with two frequencies, so that sysfs shows real governors
 * of the real core. With refuse=1 the policy is set by the driver itself
 * (as intel_pstate does) and "performance" is answered with EPERM. With
 * offline=N that CPU goes offline, so that its governor answers EBUSY. Its licence
 * is the one that code linked into the kernel must have.
 */
#include <linux/cpu.h>
#include <linux/cpufreq.h>
#include <linux/module.h>

static bool refuse;
module_param(refuse, bool, 0444);

static int offline = -1;
module_param(offline, int, 0444);

static struct cpufreq_frequency_table table[] = {
	{ .frequency = 1000000 },
	{ .frequency = 2000000 },
	{ .frequency = CPUFREQ_TABLE_END },
};

static unsigned int now_khz = 1000000;

static int dummy_init(struct cpufreq_policy *policy)
{
	policy->freq_table = table;
	policy->cpuinfo.transition_latency = 1000;
	policy->cur = now_khz;
	/* only drivers that set the policy themselves may have one */
	policy->policy = refuse ? CPUFREQ_POLICY_POWERSAVE :
				  CPUFREQ_POLICY_UNKNOWN;
	return 0;
}

static int dummy_target(struct cpufreq_policy *policy, unsigned int i)
{
	now_khz = table[i].frequency;
	return 0;
}

static unsigned int dummy_get(unsigned int cpu)
{
	return now_khz;
}

/* The core has noted the new policy already, whatever is answered here. */
static int dummy_setpolicy(struct cpufreq_policy *policy)
{
	if (policy->policy != CPUFREQ_POLICY_PERFORMANCE)
		return 0;
	policy->policy = CPUFREQ_POLICY_POWERSAVE;
	return -EPERM;
}

static struct cpufreq_driver dummy = {
	.name = "dummy",
	.init = dummy_init,
	.verify = cpufreq_generic_frequency_table_verify,
	.target_index = dummy_target,
	.get = dummy_get,
};

static struct cpufreq_driver refusing = {
	.name = "dummy_refusing",
	.init = dummy_init,
	.verify = cpufreq_generic_frequency_table_verify,
	.setpolicy = dummy_setpolicy,
	.get = dummy_get,
};

static int __init dummy_load(void)
{
	int rc = cpufreq_register_driver(refuse ? &refusing : &dummy);

	return rc || offline < 0 ? rc : remove_cpu((unsigned int)offline);
}
module_init(dummy_load);

MODULE_DESCRIPTION("cpufreq without hardware");
MODULE_LICENSE("GPL");
