/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_PROCTREE_H
#define IRONRIG_PROCTREE_H

#include <stddef.h>
#include <sys/types.h>

/*
 * The children of this process, from /proc (proc(5), PID/stat). With the child
 * subreaper attribute set, whatever descends from it becomes its child when
 * what stands between has died.
 */
/* Up to max of them into out; how many there are. */
size_t proctree_children(pid_t *out, size_t max);
/* sig (0: none) to each living child that is not spared; how many there are. */
unsigned int proctree_signal(const pid_t *spared, size_t n, int sig);
/* Waits for each dead child that is not spared. */
void proctree_reap(const pid_t *spared, size_t n);

#endif
