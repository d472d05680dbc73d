// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * SHA-256 by OpenSSL's EVP, which uses SHA-NI where the CPU has it.
 */
#include "sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct sha256 {
	EVP_MD_CTX *ctx;
	bool failed;
};

struct sha256 *sha256_new(void)
{
	struct sha256 *s = malloc(sizeof(*s));

	if (!s)
		return NULL;
	s->ctx = EVP_MD_CTX_new();
	s->failed = false;
	if (!s->ctx || !EVP_DigestInit_ex(s->ctx, EVP_sha256(), NULL)) {
		sha256_free(s);
		return NULL;
	}
	return s;
}

void sha256_add(struct sha256 *s, const void *p, size_t n)
{
	if (!EVP_DigestUpdate(s->ctx, p, n))
		s->failed = true;
}

void sha256_hex(struct sha256 *s, char out[SHA256_HEX])
{
	unsigned char d[EVP_MAX_MD_SIZE];
	unsigned int n = 0;

	/* an unmatchable name, should OpenSSL ever refuse: never a wrong one */
	if (!EVP_DigestFinal_ex(s->ctx, d, &n) || n != 32 || s->failed) {
		for (int i = 0; i < SHA256_HEX - 1; i++)
			out[i] = 'x';
		out[SHA256_HEX - 1] = '\0';
		return;
	}
	for (unsigned int i = 0; i < n; i++)
		sprintf(out + 2 * i, "%02x", d[i]);
}

void sha256_free(struct sha256 *s)
{
	if (!s)
		return;
	EVP_MD_CTX_free(s->ctx);
	free(s);
}

int sha256_file(int dirfd, const char *path, char out[SHA256_HEX],
		struct err *e)
{
	static const size_t piece = 1 << 17;
	struct sha256 *s = sha256_new();
	char *p = malloc(piece);
	int fd = -1, rc = -1;
	ssize_t n;

	if (!s || !p) {
		err_set(e, ERR_LIMIT, "out of memory");
		goto out;
	}
	fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		err_sys(e, "%s", path);
		goto out;
	}
	while ((n = read(fd, p, piece)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			sha256_add(s, p, (size_t)n);
	if (n < 0) {
		err_sys(e, "%s", path);
		goto out;
	}
	sha256_hex(s, out);
	rc = 0;
out:
	if (fd >= 0)
		close(fd);
	free(p);
	sha256_free(s);
	return rc;
}
