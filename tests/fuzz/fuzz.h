/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_FUZZ_H
#define IRONRIG_FUZZ_H

/*
 * A fuzz target a program, for clang's libFuzzer: `make fuzz` builds them under
 * build/fuzz, `make fuzz-short` runs each a fixed number of times. A finding
 * is a crash, a sanitizer's report, or require() failing.
 */
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define require(cond)                                                       \
	do {                                                                \
		if (!(cond))                                                \
			__builtin_trap();                                   \
	} while (0)

#endif
