#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The fault machine's short form: as many faults as fit into a minute or so,
# other ones each day; `make faults' does all.
: "${SEED:=$(date +%-j)}" "${N:=16}"
export SEED N
exec "$(dirname "$0")/faults.sh"
