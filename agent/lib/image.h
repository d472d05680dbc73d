/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_IMAGE_H
#define IRONRIG_IMAGE_H

/*
 * What the controller puts into an image and the agent looks for: names only.
 *
 * An image is a sequence of members, each a newc cpio (compressed or not) that
 * any other may follow:
 *
 *   base         the agent, busybox, /etc
 *   modules      lib/modules/RELEASE of one kernel, decompressed, depmod'ed,
 *                with the firmware that was given
 *   kernel       IMAGE_KERNEL_FILE alone: which kernel this is meant for
 *   overlay      host.cfg, key, known_hosts of one box
 *   bundle-NAME  a workload's programs
 *
 * The last file of each is its manifest, IMAGE_MEMBERS_DIR/MEMBER: a line
 * "SHA256  PATH" for every regular file of that member but the manifest,
 * sorted by path, PATH without a leading slash (so `sha256sum -c` in / reads
 * it). A member that the kernel lost or cut lacks its manifest or a file in
 * it.
 *
 * On the kernel command line:
 *
 *   ironrig.members=base:SHA,modules:SHA,…  SHA-256 of each manifest, 64 hex
 *   ironrig.kernel=NAME:ID                  must equal IMAGE_KERNEL_FILE's
 *   ironrig.boot=firmware|kexec             how this boot came about
 *   ironrig.prev=RELEASE                    kexec only: the kernel before
 *   oops=panic ironrig.oops=0               an oops before the agent runs
 *                                           reboots; then the agent writes 0
 *                                           to kernel.panic_on_oops, so that
 *                                           a job meets the kernel's default
 *   BOOTIF=01-aa-bb-cc-dd-ee-ff             the NIC that iPXE booted from
 */
#define IMAGE_MEMBERS_DIR "etc/ironrig/members"
/*
 * Four lines: "NAME:ID", the release (uname -r), the version (uname -v, as the
 * image's setup header has it; "-" when it has none), the GNU build-id in hex
 * ("-" when it is not known).
 */
#define IMAGE_KERNEL_FILE "etc/ironrig/kernel"
/*
 * In modules: a line "MODULE FILE" for every firmware file that a module of
 * this image names and that was not given; for the console, when such a
 * module is loaded.
 */
#define IMAGE_FIRMWARE_MISSING "etc/ironrig/firmware-missing"
/* In overlay. */
#define IMAGE_HOST_FILE	       "etc/ironrig/host.cfg"
#define IMAGE_KEY_FILE	       "etc/ironrig/key"
#define IMAGE_KNOWN_HOSTS_FILE "etc/ironrig/known_hosts"
/*
 * In base: lines "PROGRAM BUNDLE", sorted, for every program that a bundle of
 * ironrig brings: so that a job whose program is missing hears which bundle
 * to name.
 */
#define IMAGE_PROGRAMS_FILE "etc/ironrig/programs"
/* In bundle-NAME: the packages and versions it came from, a line each. */
#define IMAGE_BUNDLES_DIR "etc/ironrig/bundles"

#define IMAGE_ARG_MEMBERS "ironrig.members"
#define IMAGE_ARG_KERNEL  "ironrig.kernel"
#define IMAGE_ARG_BOOT	  "ironrig.boot"
#define IMAGE_ARG_PREV	  "ironrig.prev"
#define IMAGE_ARG_OOPS	  "ironrig.oops"

/*
 * The x86 boot protocol's limit (COMMAND_LINE_SIZE 2048, with the NUL): the
 * kernel cuts what is longer without a word.
 */
#define IMAGE_CMDLINE_MAX 2047

#endif
