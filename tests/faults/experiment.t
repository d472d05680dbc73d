#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Whole experiments under faults, the short form: other ones each day; `make
# faults' has more of them.
: "${SEED:=$(date +%-j)}" "${N:=2}"
export SEED N
exec "$(dirname "$0")/experiment.sh"
