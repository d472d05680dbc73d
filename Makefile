# ironrig: one Makefile, explicit lists (the list is the map).
#   make help   says what there is
#   V=1         shows commands      SAN=1  builds with ASan and UBSan
#   WERROR=1    warnings are errors (CI)

$(if $(word 2,$(CURDIR)),$(error "$(CURDIR)": a blank in the path, and make \
	knows no names with blanks: please move the folder))

SAN ?= 0
comma := ,
V ?= 0
WERROR ?= 0
B := $(if $(filter 1,$(SAN)),build/san,build)
Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),:,printf '  %-7s %s\n' $(1) $(2))

CC ?= cc
PREFIX ?= /usr/local
# see agent/ctrahead.c
AGENT_LIBS := -Wl,--wrap=EVP_Cipher,--wrap=EVP_CIPHER_CTX_free \
	-Wl,-u,__wrap_EVP_Cipher -lssh2 -lssl -lcrypto -lz -lconfig -llz4 \
	-lresolv -lpthread -lm
RUNNER_LIBS := -larchive -lz -lsqlite3 -lgsl -lgslcblas -lcrypto -lconfig -llz4 \
	-lseccomp -lpthread -lm

# ---- what is built from what ------------------------------------------------

# agent/lib: what both programs need
LIB_SRC := agent/lib/err.c agent/lib/buf.c agent/lib/num.c agent/lib/io.c \
	agent/lib/cpulist.c agent/lib/sha256.c agent/lib/proto.c \
	agent/lib/lz4stream.c agent/lib/plain.c agent/lib/secret.c agent/lib/tar.c
LIB_SRC += agent/lib/cfgscan.c agent/lib/cfgtree.c agent/lib/cfgword.c \
	agent/lib/conf.c agent/lib/conf_experiment.c \
	agent/lib/conf_expect.c agent/lib/conf_form.c agent/lib/conf_keys.c \
	agent/lib/conf_load.c agent/lib/conf_near.c agent/lib/conf_param.c \
	agent/lib/conf_report.c agent/lib/conf_rules.c \
	agent/lib/conf_schema.c agent/lib/conf_store.c agent/lib/result.c \
	agent/lib/conf_tune.c agent/lib/conf_write.c

# the agent: the box
# one run of a job
AGENT_SRC := agent/bundle.c agent/cgroup.c agent/counters.c agent/evidence.c \
	agent/exec.c agent/identity.c agent/job.c agent/jobcmd.c agent/jobenv.c \
	agent/jobout.c agent/monitor.c agent/once.c agent/pack.c agent/pathmatch.c \
	agent/proctree.c agent/profile.c agent/pump.c agent/quote.c \
	agent/reproduce.c agent/sampler.c agent/scarce.c agent/stable.c agent/tune.c \
	agent/tunerow.c agent/tunetext.c agent/waittcp.c

# the way home
AGENT_SRC += agent/courier.c agent/courier_child.c agent/courier_put.c \
	agent/ctrahead.c agent/dial.c agent/hasher.c agent/klog.c agent/ship.c \
	agent/shipcmd.c agent/verb.c

# PID 1 and the session
AGENT_SRC += agent/ask.c agent/boot.c agent/bring.c agent/cmdline.c \
	agent/crash.c agent/dhcp.c agent/init.c agent/kexec.c agent/kexecload.c agent/run.c \
	agent/session.c \
	agent/kmsg.c agent/members.c agent/modload.c agent/modules.c \
	agent/net.c agent/nic.c agent/rtnl.c agent/tool.c \
	agent/last.c agent/phase.c agent/super.c agent/watchdog.c

# built-in scaling workloads
WORKLOAD_SRC := agent/workloads/scale.c agent/workloads/scale_run.c \
	agent/workloads/scale_task.c agent/workloads/scale_util.c \
	agent/workloads/brk.c agent/workloads/context_switch_pipe.c \
	agent/workloads/dup.c agent/workloads/fork_exit.c \
	agent/workloads/futex.c agent/workloads/getppid.c \
	agent/workloads/lock1.c agent/workloads/mmap.c \
	agent/workloads/mutex_sep.c agent/workloads/mutex_shared.c \
	agent/workloads/open_close_same.c agent/workloads/open_close_sep.c \
	agent/workloads/page_fault_private.c \
	agent/workloads/page_fault_shared.c agent/workloads/poll.c \
	agent/workloads/pread.c agent/workloads/read.c \
	agent/workloads/sched_yield.c agent/workloads/signal.c \
	agent/workloads/socketpair.c agent/workloads/tlb_flush.c \
	agent/workloads/unix_socket.c agent/workloads/unlink.c \
	agent/workloads/write.c

# the controller
RUNNER_SRC := runner/cmd.c runner/cmd_check.c runner/cmd_init.c runner/home.c runner/spawn.c
RUNNER_SRC += runner/archive.c runner/confine.c runner/cmd_collect.c runner/cmd_extract.c \
	runner/cmd_export.c runner/cmd_fsck.c runner/cmd_import.c \
	runner/cmd_ls.c runner/cmd_show.c runner/collect.c runner/db.c \
	runner/fsck.c runner/import.c runner/index.c runner/index_dump.c runner/index_kind.c \
	runner/index_query.c \
	runner/index_row.c runner/runjson.c runner/show.c runner/store.c \
	runner/storepass.c runner/storetext.c \
	runner/verify.c runner/when.c
# images, kernels, scripts
RUNNER_SRC += runner/bootdir.c runner/bundle.c runner/bundlemake.c runner/scratch.c \
	runner/bzimage.c \
	runner/cmd_image.c runner/cmd_kernel.c runner/cpio.c \
	runner/cpiotree.c runner/imgbase.c runner/ipxe.c runner/kconfig.c \
	runner/kernel.c runner/kerneladd.c runner/kernelbuild.c \
	runner/kernelmap.c \
	runner/kernelsrc.c \
	runner/moddep.c runner/modset.c runner/overlay.c runner/sbom.c
RUNNER_SRC += runner/authkeys.c runner/boxview.c runner/cmd_enroll.c \
	runner/cmd_queue.c runner/cmd_receive.c runner/cmd_serve.c \
	runner/cmd_status.c runner/cmd_tail.c runner/enroll.c runner/undo.c \
	runner/labaccount.c runner/labcheck.c runner/sandbox.c \
	runner/sshdconf.c
RUNNER_SRC += runner/lease.c runner/plan.c \
	runner/plan_load.c runner/planorder.c runner/planslot.c runner/receive.c \
	runner/receive_file.c runner/receive_finish.c runner/receive_get.c \
	runner/receive_lock.c runner/receive_log.c runner/receive_lost.c \
	runner/receive_next.c runner/receive_over.c runner/receive_point.c runner/receive_put.c \
	runner/ring.c runner/runjob.c

RUNNER_SRC += runner/ab_attend.c runner/ab_borrow.c runner/ab_builds.c runner/ab_file.c runner/ab_iterations.c runner/ab_look.c runner/ab_make.c \
	runner/ab_time.c runner/ab_wait.c runner/bisect.c runner/borrow.c runner/borrow_take.c runner/cmd_ab.c runner/cmd_bisect.c runner/cmd_power.c \
	runner/cmd_tend.c runner/near.c runner/powercmd.c runner/tend.c \
	runner/trykexec.c

# raw text -> stats
STATS_SRC := $(addprefix runner/stats/,apachebench.c bag.c cpuidle.c \
	cyclictest.c diskstats.c dmesg.c extractors.c feed.c fio.c gather.c \
	hackbench.c interrupts.c iperf3.c jsonread.c meminfo.c memmaps.c \
	mpstat.c netdev.c netperf.c numavmstat.c ofresult.c perfbench.c \
	perfprofile.c perfstat.c pressure.c procvmstat.c rules.c scale.c \
	schedstat.c series.c stressng.c sysbench.c text.c uptime.c vmstat.c \
	willitscale.c)

# pure statistics
ANALYSIS_SRC := runner/analysis/dist.c runner/analysis/estimate.c \
	runner/analysis/exact.c runner/analysis/fieller.c \
	runner/analysis/fisher.c runner/analysis/multi.c \
	runner/analysis/power.c runner/analysis/sample.c \
	runner/analysis/sequential.c runner/analysis/variance.c \
	runner/analysis/verdict.c

# text, mail, HTML, JSON
REPORT_SRC := $(addprefix runner/report/,body.c compare.c compare_data.c \
	compare_order.c confdiff.c evidence.c failtext.c footer.c html.c \
	htmlout.c jsonout.c layout.c mail.c match.c match_load.c \
	match_stats.c perfdiff.c pool.c request.c rows.c \
	show.c story.c storyfail.c storymap.c svg.c table.c tojson.c values.c \
	words.c)
RUNNER_SRC += runner/cmd_compare.c runner/cmd_report.c

# C unit tests: tests/unit/test_X.c
UNIT_LIB := buf num cpulist io proto lz4stream tar
UNIT_LIB += conf plain result secret
UNIT_AGENT := evidence exec monitor pack pathmatch reproduce scarce stable tune
UNIT_AGENT += cmdline crash kexec members modules nic phase run super
UNIT_AGENT += ctrahead dial hasher klog
UNIT_RUNNER :=
UNIT_RUNNER += authkeys confine lease plan plan_ab sandbox bisect
UNIT_RUNNER += analysis analysis_tests analysis_verdict
UNIT_RUNNER += failtext html mail match proof show
UNIT_RUNNER += bzimage cpio kconfig moddep
UNIT_RUNNER += feed index verify when

# ---- flags -------------------------------------------------------------------

WARN := -Wall -Wextra -Wshadow -Wconversion -Wvla -Wformat=2 \
	-Wmissing-prototypes -Wstrict-prototypes -Wno-format-nonliteral
WARN += $(if $(filter 1,$(WERROR)),-Werror)
HARDEN := -fstack-protector-strong -fstack-clash-protection -fcf-protection
OPT := $(if $(filter 1,$(SAN)),-O1 -fsanitize=address$(comma)undefined -Wno-format-truncation \
	-fno-sanitize-recover=all -fno-omit-frame-pointer, \
	-O2 -D_FORTIFY_SOURCE=3)
CFLAGS_ALL := -std=gnu11 -D_GNU_SOURCE -g $(OPT) $(WARN) $(HARDEN) \
	-ffile-prefix-map=$(CURDIR)=. -fPIE -MMD -MP -Iagent/lib $(CFLAGS)
LDFLAGS_ALL := -Wl,-z,relro,-z,now $(LDFLAGS)

# ---- programs ----------------------------------------------------------------

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
LIB := $(B)/libironrig.a
AGENT := $(B)/bin/ironrig-agent
RUNNER := $(B)/bin/ironrig

all: $(AGENT) $(RUNNER) ## build the programs

$(B)/obj/%.o: %.c | build/.deps
	@mkdir -p $(@D)
	@$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS_ALL) -c -o $@ $<

$(LIB): $(call obj,$(LIB_SRC))
LIB_AGENT := $(B)/libagent.a
$(LIB_AGENT): $(call obj,$(AGENT_SRC) $(WORKLOAD_SRC))
LIB_RUNNER := $(B)/librunner.a
$(LIB_RUNNER): $(call obj,$(RUNNER_SRC) $(STATS_SRC) $(ANALYSIS_SRC) \
	$(REPORT_SRC))
$(LIB) $(LIB_AGENT) $(LIB_RUNNER):
	@$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcsD $@ $^

# The agent is PID 1 of a box that holds nothing: static, position-independent.
# ASan does not work in a static program, so the SAN build is dynamic.
$(AGENT): $(call obj,agent/main.c) $(LIB_AGENT) $(LIB)
	@mkdir -p $(@D)
	@$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(if $(filter 1,$(SAN)),-pie,-static-pie) -o $@ \
		$^ $(LDFLAGS_ALL) $(AGENT_LIBS)

$(RUNNER): $(call obj,runner/main.c) $(LIB_RUNNER) $(LIB)
	@mkdir -p $(@D)
	@$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_ALL) -pie -o $@ $^ $(LDFLAGS_ALL) $(RUNNER_LIBS)

-include $(shell find build/obj build/tests build/san build/fuzz -type f -name '*.d' 2>/dev/null)

# ---- packages (apt only) -----------------------------------------------------

deps: build/.deps build/.deps-check ## install what is missing (apt)
build/.deps: initramfs/apt-packages
build/.deps-check: initramfs/apt-packages-check | build/.deps
build/.deps-dev: initramfs/apt-packages-dev | build/.deps
build/.deps-long: initramfs/apt-packages-long | build/.deps-check
build/.deps build/.deps-check build/.deps-dev build/.deps-long: initramfs/apt-install
	@mkdir -p build
	@$< $(@:build/.deps%=initramfs/apt-packages%)
	@touch $@

# ---- tests -------------------------------------------------------------------

UNITS = $(call unit,$(UNIT_LIB) $(UNIT_AGENT) $(UNIT_RUNNER))
CLI_TESTS := $(wildcard tests/cli/*.t)

unit = $(patsubst %,$(B)/tests/unit/test_%,$(1))
$(call unit,$(UNIT_AGENT)): UNIT_ARCHIVES = $(LIB_AGENT) $(LIB)
$(call unit,$(UNIT_AGENT)): UNIT_LIBS = $(AGENT_LIBS)
$(call unit,$(UNIT_AGENT)): $(LIB_AGENT)
$(call unit,$(UNIT_RUNNER)): UNIT_ARCHIVES = $(LIB_RUNNER) $(LIB)
$(call unit,$(UNIT_RUNNER)): UNIT_LIBS = $(RUNNER_LIBS)
$(call unit,$(UNIT_RUNNER)): $(LIB_RUNNER)
UNIT_ARCHIVES = $(LIB)
UNIT_LIBS = -lconfig -llz4 -lcrypto -lpthread -lm

$(B)/tests/unit/test_%: tests/unit/test_%.c $(LIB)
	@mkdir -p $(@D)
	@$(call say,CC,$@)
	$(Q)$(CC) $(CFLAGS_ALL) -Itests -Iagent -Irunner -o $@ $< \
		$(UNIT_ARCHIVES) $(LDFLAGS_ALL) $(UNIT_LIBS)

# programs that tests use
TOOLS := $(B)/tests/courier $(B)/tests/jobid $(B)/tests/proxy
$(B)/tests/%: tests/tools/%.c $(LIB_AGENT) $(LIB)
	@mkdir -p $(@D)
	@$(call say,CC,$@)
	$(Q)$(CC) $(CFLAGS_ALL) -Iagent -o $@ $< $(LIB_AGENT) $(LIB) \
		$(LDFLAGS_ALL) $(AGENT_LIBS)

# Tests that need no machine of their own run side by side; those that boot
# one, or are PID 1 of one, run one after the other: two cores emulate a box.
PROVE = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
	IRONRIG_BUILD=$(CURDIR)/$(B) prove --failures -j4 \
	--rules 'seq=tests/boot/*' --rules 'seq=tests/pid1/*' \
	--rules 'seq=tests/long/*' --rules 'par=**'
BOX_TESTS := $(wildcard tests/pid1/*.t tests/boot/*.t)

# ---- faults ------------------------------------------------------------------

# Preloaded into the controller's programs; ASan would want to come first.
SHIM := $(B)/tests/faults/shim.so $(B)/tests/faults/broken.so
$(B)/tests/faults/shim.so: tests/faults/clock.c
$(SHIM): $(B)/%.so: %.c
	@mkdir -p $(@D)
	@$(call say,CC,$@)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -g -O2 $(WARN) -fPIC -shared -o $@ $^

FAULT_TESTS := $(if $(filter 1,$(SAN)),,$(wildcard tests/faults/*.t))
ATTACK_TESTS := $(wildcard tests/attack/*.t)
SEED ?=
N ?= 0
FAULT ?=
EXPERIMENTS ?= 20
faults: all $(TOOLS) $(SHIM) ## every fault there is (SEED= N=COUNT FAULT= EXPERIMENTS=), a table
	$(Q)SEED=$(SEED) N=$(N) FAULT="$(FAULT)" \
		IRONRIG_BUILD=$(CURDIR)/$(B) tests/faults/faults.sh
	$(Q)[ -n "$(FAULT)" ] || SEED=$(SEED) N=$(EXPERIMENTS) \
		IRONRIG_BUILD=$(CURDIR)/$(B) tests/faults/experiment.sh
.PHONY: faults

FUZZ_TESTS := $(if $(filter 1,$(SAN)),,tests/fuzz/fuzz.t)

check-unit: $(UNITS) ## unit tests alone: seconds
	$(Q)$(PROVE) $(UNITS)
.PHONY: check-unit

check-fast: build/.deps-check all $(UNITS) $(TOOLS) ## unit and command line tests: no box, no root
	$(Q)$(PROVE) $(UNITS) $(CLI_TESTS)

# The sanitizers are not in the image (a static program cannot have them), so
# under SAN=1 the tests that boot one have nothing to add.
check: build/.deps-check all lint $(UNITS) $(TOOLS) $(SHIM) $(if $(FUZZ_TESTS),fuzzers) ## every test
	$(Q)$(PROVE) $(FUZZ_TESTS) $(FAULT_TESTS) $(ATTACK_TESTS) $(if $(filter 1,$(SAN)),,$(BOX_TESTS)) \
		$(UNITS) $(CLI_TESTS)

# What takes too long for every change: more blocks, a whole distribution.
LONG_TESTS := $(wildcard tests/long/*.t)
check-long: build/.deps-long all ## the longer forms of the boot tests
	$(Q)AB_BLOCKS=8 $(PROVE) $(LONG_TESTS)
.PHONY: check-long

# ---- fuzzing -----------------------------------------------------------------

# Everything once more, by clang: libFuzzer wants its own instrumentation in
# every object. LeakSanitizer is part of ASan.
FUZZERS := conf result proto lz4 stats archive kernel home box told
F := build/fuzz
FUZZ_CFLAGS := -std=gnu11 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer \
	-fsanitize=fuzzer-no-link$(comma)address$(comma)undefined \
	-fno-sanitize-recover=all -Iagent/lib -MMD -MP
$(F)/obj/%.o: %.c | build/.deps-check
	@mkdir -p $(@D)
	@$(call say,FUZZ,$<)
	$(Q)clang $(FUZZ_CFLAGS) $(FUZZ_MORE) -c -o $@ $<
$(F)/obj/tests/fuzz/%.o: FUZZ_MORE = -Iagent -Irunner
fuzzobj = $(patsubst %.c,$(F)/obj/%.o,$(1))
$(F)/libironrig.a: $(call fuzzobj,$(LIB_SRC))
$(F)/libagent.a: $(call fuzzobj,$(AGENT_SRC) $(WORKLOAD_SRC))
$(F)/librunner.a: $(call fuzzobj,$(RUNNER_SRC) $(STATS_SRC) $(ANALYSIS_SRC) \
	$(REPORT_SRC))
$(F)/libironrig.a $(F)/libagent.a $(F)/librunner.a:
	@$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcsD $@ $^
$(F)/fuzz_%: $(F)/obj/tests/fuzz/fuzz_%.o $(F)/libironrig.a
	@$(call say,LD,$@)
	$(Q)clang -fsanitize=fuzzer,address,undefined -o $@ $< $(FUZZ_LIBS)
FUZZ_LIBS = $(F)/libironrig.a $(UNIT_LIBS)
FUZZ_AGENT := $(addprefix $(F)/fuzz_,box told)
FUZZ_RUNNER := $(addprefix $(F)/fuzz_,stats archive kernel home)
$(FUZZ_AGENT): $(F)/libagent.a
$(FUZZ_AGENT): FUZZ_LIBS = $(F)/libagent.a $(F)/libironrig.a $(AGENT_LIBS)
$(FUZZ_RUNNER): $(F)/librunner.a
$(FUZZ_RUNNER): FUZZ_LIBS = $(F)/librunner.a $(F)/libironrig.a $(RUNNER_LIBS)

.SECONDARY: $(FUZZERS:%=$(F)/obj/tests/fuzz/fuzz_%.o)

fuzzers: $(FUZZERS:%=$(F)/fuzz_%)
fuzz-short: fuzzers ## thousands of inputs each, the same every time
	$(Q)IRONRIG_BUILD=$(CURDIR)/build prove -v tests/fuzz/fuzz.t
FUZZ_SECONDS ?= 3600
FUZZ_ONLY ?= $(FUZZERS)
fuzz: fuzzers ## for FUZZ_SECONDS each (an hour), what it learns in build/fuzz/corpus
	$(Q)IRONRIG_BUILD=$(CURDIR)/build FUZZ_SECONDS=$(FUZZ_SECONDS) \
		FUZZ_ONLY="$(FUZZ_ONLY)" prove -v tests/fuzz/fuzz.t
.PHONY: fuzz fuzzers fuzz-short

demo: all ## a virtual box boots, runs a job, ships its result
	@initramfs/demo

# ---- code quality ------------------------------------------------------------

ALL_SRC := agent/main.c runner/main.c $(LIB_SRC) $(AGENT_SRC) \
	$(WORKLOAD_SRC) $(RUNNER_SRC) $(STATS_SRC) $(ANALYSIS_SRC) $(REPORT_SRC)
SCRIPTS := $(shell git grep -lE '^\#!/bin/(ba)?sh' 2>/dev/null)

lint: ## who includes whom, licences, sizes
	@tests/lint

# One stamp a source and tool, so that a second run does only what changed.
# gcc 12 loses pointers that are stored into a realloc'ed array and calls them
# leaked; clang's analyzer here and LeakSanitizer (SAN=1) watch leaks instead.
A := build/analyze
ANALYZE_FLAGS := -std=gnu11 -D_GNU_SOURCE -Iagent/lib
$(A)/%.gcc: %.c
	@mkdir -p $(@D)
	@$(call say,ANALYZE,$<)
	$(Q)$(CC) $(ANALYZE_FLAGS) -O1 -fanalyzer -Wno-analyzer-malloc-leak \
		-Werror -c -o $@ $<
$(A)/%.tidy: %.c .clang-tidy
	@mkdir -p $(@D)
	@$(call say,TIDY,$<)
	$(Q)clang-tidy --quiet $< -- $(ANALYZE_FLAGS) 2>$@.log || \
		{ cat $@.log; exit 1; }
	@touch $@

analyze: build/.deps-dev $(ALL_SRC:%.c=$(A)/%.gcc) $(ALL_SRC:%.c=$(A)/%.tidy) ## gcc -fanalyzer, clang-tidy, cppcheck, shellcheck
	$(Q)cppcheck -q --std=c11 --enable=warning,performance,portability \
		--inline-suppr --error-exitcode=1 \
		$(filter-out -std=%,$(ANALYZE_FLAGS)) agent runner
	$(Q)shellcheck $(SCRIPTS)

$(B)/tests/bench/compare_data: tests/bench/compare_data.c $(LIB_RUNNER) $(LIB)
	@mkdir -p $(@D)
	@$(call say,CC,$@)
	$(Q)$(CC) $(CFLAGS_ALL) -Irunner -o $@ $< $(LIB_RUNNER) $(LIB) \
		$(LDFLAGS_ALL) $(RUNNER_LIBS)

repro: all ## build twice in two places, compare bit for bit
	$(Q)tests/repro
.PHONY: repro

proof: $(call unit,proof) ## the statistics against 20,000 experiments a cell
	$(Q)prove --verbose $< :: 20000
bench: build/.deps-check all $(TOOLS) $(B)/tests/bench/compare_data ## ratios, side by side; not a test
	$(Q)for b in tests/bench/*.sh; do IRONRIG_BUILD=$(CURDIR)/$(B) "$$b"; done
clean: ## remove build/
	rm -rf build

# ---- installation --------------------------------------------------------------

bindir := $(DESTDIR)$(PREFIX)/bin
sbindir := $(DESTDIR)$(PREFIX)/sbin
sharedir := $(DESTDIR)$(PREFIX)/share
install: all ## programs, image parts, examples, manuals (DESTDIR, PREFIX)
	umask 022; install -d $(bindir) $(sbindir) $(sharedir)/man/man1 \
		$(sharedir)/man/man5 $(sharedir)/man/man8 \
		$(sharedir)/bash-completion/completions $(sharedir)/ironrig
	install -m 755 $(RUNNER) $(bindir)/ironrig
	install -m 755 $(AGENT) $(sbindir)/ironrig-agent
	install -m 644 runner/ironrig.1 $(sharedir)/man/man1
	install -m 644 conf/ironrig.conf.5 $(sharedir)/man/man5
	install -m 644 agent/ironrig-agent.8 $(sharedir)/man/man8
	install -m 644 runner/completion.bash \
		$(sharedir)/bash-completion/completions/ironrig
	cp -R conf initramfs $(sharedir)/ironrig/
	chmod -R u=rwX,go=rX $(sharedir)/ironrig
.PHONY: install

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

.PHONY: all bench demo deps check check-fast proof lint analyze clean help
.DELETE_ON_ERROR:
