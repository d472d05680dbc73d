// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The linker's stand-ins make the same bytes as the functions they stand for,
 * in whatever pieces the data comes.
 */
#include "tap.h"

#include <openssl/evp.h>
#include <string.h>

enum { SIZE = 100000 };

static unsigned char plain[SIZE], want[SIZE], got[SIZE];
static const unsigned char key[16] = "0123456789abcdef";
/* the counter carries over within the first packets */
static const unsigned char iv[16] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
				      0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
				      0xff, 0xff, 0xff, 0xf0 };

static EVP_CIPHER_CTX *fresh(const EVP_CIPHER *cipher, int encrypt)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	if (!c || !EVP_CipherInit_ex(c, cipher, NULL, key, iv, encrypt))
		exit(1);
	return c;
}

static void reference(const EVP_CIPHER *cipher)
{
	EVP_CIPHER_CTX *c = fresh(cipher, 1);
	int n = 0;

	if (!EVP_EncryptUpdate(c, want, &n, plain, SIZE / 16 * 16))
		exit(1);
	EVP_CIPHER_CTX_free(c);
}

/* In pieces of piece bytes, 0: of changing sizes. */
static int in_pieces(const EVP_CIPHER *cipher, unsigned int piece)
{
	EVP_CIPHER_CTX *c = fresh(cipher, 1);
	unsigned int at = 0, n, i = 0;
	int good = 1;

	memset(got, 0, sizeof(got));
	while (at < SIZE / 16 * 16) {
		n = piece ? piece : (i++ * 7919) % 9000 + 1;
		if (n > SIZE / 16 * 16 - at)
			n = SIZE / 16 * 16 - at;
		good = good && EVP_Cipher(c, got + at, plain + at, n) == (int)n;
		at += n;
	}
	EVP_CIPHER_CTX_free(c);
	return good && !memcmp(got, want, at);
}

static int in_place_and_back(void)
{
	EVP_CIPHER_CTX *a = fresh(EVP_aes_128_ctr(), 1);
	EVP_CIPHER_CTX *b = fresh(EVP_aes_128_ctr(), 0);
	int good = 1;

	/* two at once, as a session has them */
	memcpy(got, plain, sizeof(got));
	for (unsigned int at = 0; at + 16 <= SIZE; at += 16) {
		good = good && EVP_Cipher(a, got + at, got + at, 16) == 16;
		good = good && !memcmp(got + at, want + at, 16);
		good = good && EVP_Cipher(b, got + at, got + at, 16) == 16;
	}
	EVP_CIPHER_CTX_free(a);
	EVP_CIPHER_CTX_free(b);
	return good && !memcmp(got, plain, SIZE);
}

int main(void)
{
	static const unsigned int piece[] = { 16, 32, 1, 4096, 4112, 0 };

	for (size_t i = 0; i < SIZE; i++)
		plain[i] = (unsigned char)(i * 31 + i / 251);
	reference(EVP_aes_128_ctr());
	for (size_t i = 0; i < sizeof(piece) / sizeof(piece[0]); i++)
		ok(in_pieces(EVP_aes_128_ctr(), piece[i]),
		   "counter mode, pieces of %u bytes", piece[i]);
	ok(in_place_and_back(), "in place, and back, two streams");
	reference(EVP_aes_128_cbc());
	ok(in_pieces(EVP_aes_128_cbc(), 16), "another mode is left alone");
	EVP_CIPHER_CTX_free(NULL);
	ok(1, "no context is freed");
	return done_testing();
}
