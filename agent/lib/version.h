/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_VERSION_H
#define IRONRIG_VERSION_H

#define IRONRIG_VERSION "1.0"

#endif
