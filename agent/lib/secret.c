// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What keeps keys where they are. Where they are read is the callers'.
 */
#include "secret.h"

#include <sys/prctl.h>
#include <sys/resource.h>

void secret_hold(void)
{
	const struct rlimit none = { 0, 0 };

	/* neither can fail: both only take away */
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
}
