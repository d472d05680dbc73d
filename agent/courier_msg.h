/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_COURIER_MSG_H
#define IRONRIG_COURIER_MSG_H

#include "courier.h"

#include <stdbool.h>

/*
 * What passes between courier.c and its child, one struct a packet of a
 * SOCK_SEQPACKET pair. Nobody else includes this. Both are one binary, so the
 * structs need no fixed layout; CLOCK_MONOTONIC is the same in both.
 */
enum courier_ask {
	COURIER_CALL,  /* descriptor passed: where a get's bytes go, or none */
	COURIER_PUT,   /* descriptor passed: the file */
	COURIER_GREW,  /* while a put runs: the file has more */
	COURIER_WHOLE, /* … it is complete */
	COURIER_SPOILT, /* … it never will be */
};

struct courier_request {
	enum courier_ask ask;
	bool whole; /* put: the file is complete already */
	int64_t deadline_ns;
	uint64_t most; /* call: bytes of data */
	char words[PROTO_LINE]; /* put: the result's name */
};

struct courier_reply {
	int rc; /* 0, -1: err is filled */
	struct err err;
	char words[PROTO_LINE]; /* the answer */
	char sha256[SHA256_HEX];
};

/* The child: serves requests on sock until it is closed. */
_Noreturn void courier_child(const struct courier_conf *conf, int sock);

#endif
