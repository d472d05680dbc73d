#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The fault machine's short form: one fault of each family, other ones each
# day; `make faults' does all.
: "${SEED:=$(date +%-j)}" "${N:=each}"
export SEED N
exec "$(dirname "$0")/faults.sh"
