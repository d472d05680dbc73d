/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CTRAHEAD_H
#define IRONRIG_CTRAHEAD_H

/*
 * What the linker puts in place of two functions of OpenSSL (--wrap, see the
 * Makefile) for libssh2; nobody calls them by these names. They do what the
 * originals do (EVP_EncryptInit(3)), counter mode in small calls faster.
 */
struct evp_cipher_ctx_st;

int __wrap_EVP_Cipher(struct evp_cipher_ctx_st *c, unsigned char *out,
		      const unsigned char *in, unsigned int n);
void __wrap_EVP_CIPHER_CTX_free(struct evp_cipher_ctx_st *c);

#endif
