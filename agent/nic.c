// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Which network interfaces there are and which one is meant. Has no effects;
 * bringing one up is net.c's.
 */
#include "nic.h"
#include "io.h"
#include "num.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define ARPHRD_ETHER_TEXT "1" /* linux/if_arp.h, as sysfs prints it */

static int by_index(const void *a, const void *b)
{
	const struct nic *x = a, *y = b;

	return (x->ifindex > y->ifindex) - (x->ifindex < y->ifindex);
}

static bool read_line(int dir, const char *nic, const char *file, char *out,
		      size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "%.*s/%s", IF_NAMESIZE, nic, file);
	return !io_read_line(dir, path, out, size, NULL);
}

/* False: not an Ethernet interface, or gone meanwhile. */
static bool fill(int dir, const char *name, struct nic *nic)
{
	char text[32], path[64];
	int64_t index;

	if (strlen(name) >= sizeof(nic->name) ||
	    !read_line(dir, name, "type", text, sizeof(text)) ||
	    strcmp(text, ARPHRD_ETHER_TEXT) != 0 ||
	    !read_line(dir, name, "ifindex", text, sizeof(text)) ||
	    num_i64(text, 1, INT32_MAX, &index, NULL) ||
	    !read_line(dir, name, "address", nic->mac, sizeof(nic->mac)))
		return false;
	snprintf(nic->name, sizeof(nic->name), "%s", name);
	nic->ifindex = (int)index;
	snprintf(path, sizeof(path), "%s/device", name);
	nic->device = !faccessat(dir, path, F_OK, 0);
	/* EINVAL while the interface is down */
	nic->carrier = read_line(dir, name, "carrier", text, sizeof(text)) &&
		       !strcmp(text, "1");
	return true;
}

int nic_list(int root, struct nic v[NIC_MAX], size_t *n, struct err *e)
{
	int fd = openat(root, "sys/class/net",
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *de;

	*n = 0;
	if (!d) {
		err_sys(e, "sys/class/net");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while (*n < NIC_MAX && (de = readdir(d)))
		if (de->d_name[0] != '.' && fill(fd, de->d_name, &v[*n]))
			(*n)++;
	closedir(d);
	qsort(v, *n, sizeof(*v), by_index);
	return 0;
}

bool nic_bootif(const char *word, char mac[18])
{
	mac[0] = '\0';
	/* "01-": hardware type Ethernet, as PXELINUX began it */
	if (!word || strlen(word) != 20 || strncmp(word, "01-", 3) != 0)
		return false;
	for (int i = 0; i < 17; i++) {
		char c = word[3 + i];

		if (i % 3 == 2 ? c != '-' && c != ':'
			       : !isxdigit((unsigned char)c)) {
			mac[0] = '\0';
			return false;
		}
		mac[i] = i % 3 == 2 ? ':' : (char)tolower((unsigned char)c);
	}
	mac[17] = '\0';
	return true;
}

/* A VLAN has its parent's MAC: the hardware wins. */
static const struct nic *with_mac(const struct nic *v, size_t n,
				  const char *mac)
{
	const struct nic *found = NULL;

	for (size_t i = 0; i < n; i++)
		if (!strcasecmp(v[i].mac, mac) &&
		    (!found || (v[i].device && !found->device)))
			found = &v[i];
	return found;
}

static const struct nic *with_link(const struct nic *v, size_t n)
{
	bool hardware = false;

	for (size_t i = 0; i < n; i++)
		hardware |= v[i].device;
	for (size_t i = 0; i < n; i++)
		if (v[i].carrier && v[i].device == hardware)
			return &v[i];
	return NULL;
}

static void none(const struct nic *v, size_t n, const struct nic_want *w,
		 struct err *e)
{
	char list[160] = "";

	for (size_t i = 0; i < n; i++) {
		size_t at = strlen(list);

		snprintf(list + at, sizeof(list) - at, "%s%s %s%s",
			 i ? ", " : "", v[i].name, v[i].mac,
			 v[i].carrier ? " (link)" : "");
	}
	err_set(e, ERR_NOTFOUND, "no NIC %s; there is: %s",
		w->nic	       ? w->nic
		: w->mac       ? w->mac
		: w->bootif[0] ? w->bootif
			       : "with a link",
		n ? list : "none (is its driver in the image?)");
}

const struct nic *nic_choose(const struct nic *v, size_t n,
			     const struct nic_want *w, struct err *e)
{
	const struct nic *found = NULL;

	for (size_t i = 0; w->nic && i < n; i++)
		if (!strcmp(v[i].name, w->nic))
			found = &v[i];
	if (!w->nic && w->bootif[0])
		found = with_mac(v, n, w->bootif);
	if (!w->nic && !found && w->mac)
		found = with_mac(v, n, w->mac);
	if (!w->nic && !w->mac && !w->bootif[0])
		found = with_link(v, n);
	if (!found)
		none(v, n, w, e);
	return found;
}
