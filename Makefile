# The front door: every step of the checks is a command that a person types. Meson does the building.
# Another build directory: make BUILD=/tmp/b. Only some tests: make golden T=lang
# For another architecture: make ARCH=arm64 (build-arm64/sonde; the rows are build-aux/*.cross).
ifdef ARCH
export ARCH
BUILD ?= build-$(ARCH)
endif
BUILD ?= build
PREFIX ?= /usr/local
export DEBIAN_FRONTEND ?= noninteractive
export T K SMP
BIN = $(DESTDIR)$(PREFIX)/bin
MAN = $(DESTDIR)$(PREFIX)/share/man
INC = $(DESTDIR)$(PREFIX)/include/sonde
TOOLS = $(DESTDIR)$(PREFIX)/share/sonde/tools

all:
	@build-aux/build $(BUILD) sonde
setup:				# what building and testing need, by apt
	@build-aux/setup all
demo:				# the main job on live input, a few seconds
	@build-aux/setup build
	@$(MAKE) --no-print-directory all
	@build-aux/demo $(BUILD)/sonde

quick:				# the inner loop: under a minute, no root
	@build-aux/check --build $(BUILD) layers unit golden doc
layers unit golden doc arm64 live lint asan clang fuzz package vm:
	@build-aux/check --build $(BUILD) $@
peer: all			# bpftrace is asked all that tests/peer stores answers to, and tests/conform
	@tests/peer/peer-root sid bpftrace >/dev/null
	@tests/peer/run --sonde $(BUILD)/sonde --live --filter '$(T)' && tests/peer/run --sonde $(BUILD)/sonde --corpus --filter '$(T)'
faults: all			# each system call of a run refused in turn: some thousand runs, a part of which is in make live
	@tests/faults/run --sonde $(BUILD)/sonde $(if $(T),--only $(T))
check:				# every suite
	@build-aux/setup all
	@build-aux/check --build $(BUILD)
bless: all			# rewrite the expected results: read the diff
	@tests/run --bless --sonde $(BUILD)/sonde $(if $(wildcard $(T)),$(T),$(if $(T),--filter '$(T)'))
bench: all
	@if [ -x bench/run ]; then bench/run $(T); else echo "bench: there is no bench/run"; fi

static: export CC := $(if $(ARCH),,gcc -specs=$(CURDIR)/build-aux/musl.specs -idirafter /usr/include -idirafter /usr/include/$(shell gcc -print-multiarch))
static:				# build-static/sonde, one file that runs anywhere, with the C library musl
	@build-aux/build $(BUILD)-static sonde -Dstatic=true -Doptimization=s
deb: all			# build/sonde_VERSION_ARCH.deb
	@package/deb $(BUILD)
dist: static			# build/dist: the release's archive, its static program and their checksums
	@package/dist $(BUILD)
fmt:				# clang-format, and comments of 100 columns but in programs whose lines tests name
	build-aux/wrap-comments $$(git ls-files -co --exclude-standard 'src/*.[ch]' 'include/*.h' 'tests/unit/*.[ch]' 'tests/fuzz/*.c')
	clang-format -i $$(git ls-files -co --exclude-standard '*.c' '*.h')
docs: all			# the parts of doc/ that are printed from the tables of the program itself
	for d in builtins configuration probes tools options diagnostics requirements ir; do $(BUILD)/sonde help --$$d-md >doc/$$d.md || exit 1; done
	build-aux/gen-call-table >doc/calls.md
manuals: all			# build/man: a page for each command, and sonde-language(7)
	@rm -rf $(BUILD)/man && mkdir $(BUILD)/man && $(BUILD)/sonde help --man >$(BUILD)/man/sonde.1 && \
	for c in $$($(BUILD)/sonde help commands | awk '/^    / { print $$1 }'); do \
		$(BUILD)/sonde help --man $$c >$(BUILD)/man/sonde-$$c.1 || exit 1; done; \
	package/md2man doc/language.md sonde-language 7 "the language of sonde's scripts" >$(BUILD)/man/sonde-language.7
install: all
	install -d $(BIN) && install -s -m 755 $(BUILD)/sonde $(BIN)/sonde
	$(MAKE) --no-print-directory BUILD=$(BUILD) manuals
	install -d $(MAN)/man1 $(MAN)/man7 && install -m 644 $(BUILD)/man/*.1 $(MAN)/man1/ && install -m 644 $(BUILD)/man/*.7 $(MAN)/man7/
	install -d $(TOOLS) && install -m 755 tools/*.bt $(TOOLS)/ && sed -i '1s|.*|#!$(PREFIX)/bin/sonde run|' $(TOOLS)/*.bt
	for s in bash:bash-completion/completions/sonde zsh:zsh/vendor-completions/_sonde fish:fish/vendor_completions.d/sonde.fish; do \
		f=$(DESTDIR)$(PREFIX)/share/$${s#*:}; install -d "$${f%/*}" && \
		$(BUILD)/sonde help --completion=$${s%%:*} >"$$f" && chmod 644 "$$f" || exit 1; done
	set -- include/sonde/*.h; if [ -e "$$1" ]; then install -d $(INC) && install -m 644 "$$@" $(INC)/; fi
clean:
	rm -rf $(BUILD) build-static build-plain build-asan build-clang build-arm64 build-arm64-static

.PHONY: all setup demo quick layers unit golden doc arm64 live lint asan clang fuzz package vm peer faults check bless bench static deb dist \
	fmt docs manuals install clean
