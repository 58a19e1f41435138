# ngx_vod_module: the front door.  "make help" lists what can be asked.
#
#   CC=clang           another compiler
#   NGX_SRC=dir        build against this nginx source tree instead of the
#                      installed nginx-dev (the tree is not written to)
#   NGX_CONFIGURE=...  configure options for NGX_SRC
#   NGINX_BINARY=program      the nginx that runs the module (default: the installed)

MAKEFLAGS       += --no-print-directory
.DEFAULT_GOAL   := all
SHELL           := /bin/bash
.DELETE_ON_ERROR:

ifneq ($(words $(CURDIR)),1)
$(error nginx's build cannot work in a folder with a space in its name: $(CURDIR))
endif

ROOT            := $(CURDIR)
B               := build
M               := ngx_vod_module

ifeq ($(origin CC),default)
CC              := gcc
endif

NGX_CONFIGURE   ?= --with-compat --with-threads
NGINX_BINARY    ?= $(shell PATH=$$PATH:/usr/sbin command -v nginx || echo nginx)
PKG_CONFIG      ?= pkg-config
PORT            ?= 8080
PROVE           ?= prove
TESTS           ?= $(sort $(wildcard t/*.t t/e2e/*.t))

# a folder's name may hold anything: it reaches the shell through the
# environment, as it was typed

override MEDIA  := $(value MEDIA)

export MEDIA NGX_SRC NGX_CONFIGURE NGINX_BINARY CC PKG_CONFIG

# ---- what the suites are told; t/lib has the same defaults

VOD_MEDIA       ?= $(wildcard $(abspath ../shared/media))
VOD_SCHEMA      ?= $(wildcard $(abspath ../shared/schema))

TEST_ENV         = TEST_NGINX_BINARY="$(NGINX_BINARY)" VOD_BUILD="$(ROOT)/$(B)" \
                   VOD_MODULE="$(ROOT)/$(B)/ngx_http_vod_module.so" \
                   VOD_TOOL="$(ROOT)/$(B)/vodtool" \
                   VOD_FIXTURES="$(ROOT)/$(B)/fixtures" \
                   VOD_MEDIA="$(VOD_MEDIA)" VOD_SCHEMA="$(VOD_SCHEMA)"

# ---- flags of what is built without nginx: core, av, vodtool, unit tests

WARN            := -Wall -Wextra -Werror
POSIX           := -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64
AV_CFLAGS       = $(shell $(PKG_CONFIG) --cflags libavformat libavcodec \
                      libavutil jansson 2> /dev/null)
AV_LIBS         = $(shell $(PKG_CONFIG) --libs libavformat libavcodec \
                      libavutil jansson 2> /dev/null) -lz

SAN             := -fsanitize=address,undefined -fno-sanitize-recover=all \
                   -fno-omit-frame-pointer

# the sanitizer's runtime, which nginx itself is not linked with

ifneq ($(findstring clang,$(CC)),)
SAN             += -shared-libasan
ASAN_RT         = $(shell $(CC) -print-file-name=libclang_rt.asan-x86_64.so)
ASAN_LD         = -Wl,-rpath,$(dir $(ASAN_RT))
else
ASAN_RT         = $(shell $(CC) -print-file-name=libasan.so)
endif

CORE_SRC        := $(wildcard $(M)/core/*.c)
AV_SRC          := $(wildcard $(M)/av/*.c)
CLI_SRC         := $(wildcard $(M)/cli/*.c)
UNIT_SRC        := $(wildcard t/unit/*.c)
ALL_SRC         := $(wildcard $(M)/*/*.[ch])

.PHONY: all help setup run test test-asan unit unit-asan check matrix fixtures \
        clean asan FORCE

##@ Building

all: $(B)/ngx_http_vod_module.so $(B)/vodtool ## build the module and vodtool into build/
	@[ $(MAKELEVEL) != 0 ] || echo "the module and vodtool are in $(B)/"

asan: $(B)/asan/ngx_http_vod_module.so $(B)/asan/vodtool $(B)/asan/nginx ## the same with AddressSanitizer and UBSan, into build/asan/

fixtures: ## synthesize the media files of the suites into build/fixtures/
	@[ $(MAKELEVEL) != 0 ] || tools/setup.sh run
	@fixtures/make.sh $(B)/fixtures

clean: ## remove build/
	@rm -rf $(B)
	@echo "removed $(B)/"

##@ Running

run: ## [MEDIA=folder] [PORT=8080]: install, build, serve the folder or the fixtures
	@tools/setup.sh run
	@$(MAKE) all
	@[ -n "$$MEDIA" ] || $(MAKE) fixtures
	@tools/run/run.sh "$(ROOT)/$(B)" "$(PORT)" "$$MEDIA"

##@ Testing

setup: ## install what building and testing need (Debian), or name it
	@tools/setup.sh test

test: ## install, build, make the fixtures, run every suite
	@tools/setup.sh test
	@$(MAKE) all
	@$(MAKE) fixtures
	@failed=0; \
	$(MAKE) unit || failed=1; \
	echo "== suites ($(words $(TESTS)) files)"; \
	$(TEST_ENV) $(PROVE) -It/lib $(TESTS) || failed=1; \
	exit $$failed

test-asan: ## the same suites under AddressSanitizer and UBSan
	@tools/setup.sh test
	@$(MAKE) asan
	@$(MAKE) fixtures
	@failed=0; \
	$(MAKE) unit-asan || failed=1; \
	echo "== suites with sanitizers ($(words $(TESTS)) files)"; \
	$(TEST_ENV) $(SAN_ENV) $(PROVE) -It/lib $(TESTS) || failed=1; \
	exit $$failed

unit: ## unit tests alone
	@[ $(MAKELEVEL) != 0 ] || tools/setup.sh test
	@$(MAKE) OBJ=$(B)/obj OUT=$(B) unit-build
	@echo "== unit tests"
	@$(TEST_ENV) $(PROVE) --exec '' $(UNIT_BIN:%=$(B)/unit/%)

unit-asan:
	@$(MAKE) OBJ=$(B)/asan/obj OUT=$(B)/asan unit-build
	@echo "== unit tests with sanitizers"
	@$(TEST_ENV) $(SAN_ENV) $(PROVE) --exec '' $(UNIT_BIN:%=$(B)/asan/unit/%)

check: ## who includes whom, headers, symbols, documentation, examples, style
	@tools/setup.sh test
	@$(MAKE) all
	@tools/check/check.sh

matrix: ## [MATRIX=bookworm,trixie,sid]: the suites in Debian 12, 13 and sid
	@tools/setup.sh matrix >&2
	@VOD_MEDIA="$(VOD_MEDIA)" VOD_SCHEMA="$(VOD_SCHEMA)" \
	    tools/matrix/matrix.sh $(B)/matrix

include t/browser/browser.mk
include t/fuzz/fuzz.mk
include bench/bench.mk

##@ Help

help: ## this list
	@awk 'BEGIN { FS = ":.*## " } \
	    /^##@/ { printf "\n%s\n", substr($$0, 5) } \
	    /^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' \
	    Makefile t/browser/browser.mk t/fuzz/fuzz.mk tools/check/detect.mk bench/bench.mk
	@echo
	@echo "Variables: CC=clang, NGX_SRC=dir, NGINX_BINARY=program, MEDIA=folder, \
	PORT=8080, TESTS=\"t/x.t\"" | tr -s '\t '

# ---------------------------------------------------------------- products

# A stamp per set of flags: changed flags rebuild, and nothing else does.

$(B)/flags: FORCE
	@mkdir -p $(B)
	@echo '$(CC) $(NGX_SRC) $(NGX_CONFIGURE) $(SAN) $(EXTRA_CFLAGS)' \
	    | cmp -s - $@ || \
	    echo '$(CC) $(NGX_SRC) $(NGX_CONFIGURE) $(SAN) $(EXTRA_CFLAGS)' > $@

# ---- the module, by nginx's own build

$(B)/ngx_http_vod_module.so: $(ALL_SRC) config tools/exports.map $(B)/flags \
                             tools/module.sh
	@tools/module.sh $(B)/nginx $@ "$(EXTRA_CFLAGS)" ""

$(B)/asan/ngx_http_vod_module.so: $(ALL_SRC) config tools/exports.map \
                                  $(B)/flags tools/module.sh
	@tools/module.sh $(B)/asan/nginx-objs $@ \
	    "$(SAN) -O1 $(EXTRA_CFLAGS)" "$(SAN) $(ASAN_LD)"

# t/lib loads the sanitizer's runtime into nginx by itself; build/asan/nginx does
# so for people.  Leak detection is off in nginx (it ends without giving its own
# memory back) and on in vodtool and the unit tests.

SAN_ENV         = VOD_BUILD="$(ROOT)/$(B)/asan" \
                  VOD_MODULE="$(ROOT)/$(B)/asan/ngx_http_vod_module.so" \
                  VOD_TOOL="$(ROOT)/$(B)/asan/vodtool" \
                  UBSAN_OPTIONS=print_stacktrace=1

$(B)/asan/nginx: Makefile $(B)/flags
	@mkdir -p $(@D)
	@{ echo '#!/bin/sh'; \
	   echo 'export ASAN_OPTIONS=detect_leaks=0:$$ASAN_OPTIONS'; \
	   echo 'export LD_PRELOAD=$(ASAN_RT)'; \
	   echo 'exec "$(NGINX_BINARY)" "$$@"'; } > $@
	@chmod +x $@

# ---- core, av, vodtool, unit tests: our own rules

define room_rules
$(1)/core/%.o: $(M)/core/%.c $(B)/flags
	@mkdir -p $$(@D)
	@echo "  CC $$<"
	@$$(CC) -std=c99 $$(WARN) $(2) -MMD -I$(M)/core -c -o $$@ $$<

$(1)/av/%.o: $(M)/av/%.c $(B)/flags
	@mkdir -p $$(@D)
	@echo "  CC $$<"
	@$$(CC) -std=c99 $$(WARN) $(2) $$(POSIX) -MMD -I$(M)/core -I$(M)/av \
	    $$(AV_CFLAGS) -c -o $$@ $$<

$(1)/cli/%.o: $(M)/cli/%.c $(B)/flags
	@mkdir -p $$(@D)
	@echo "  CC $$<"
	@$$(CC) -std=c99 $$(WARN) $(2) $$(POSIX) -MMD -I$(M)/core -I$(M)/av \
	    -c -o $$@ $$<

$(1)/unit/%.o: t/unit/%.c $(B)/flags
	@mkdir -p $$(@D)
	@echo "  CC $$<"
	@$$(CC) -std=c99 $$(WARN) $(2) $$(POSIX) -MMD -I$(M)/core -I$(M)/av \
	    $$(AV_CFLAGS) -c -o $$@ $$<

$(1)/libvodcore.a: $(CORE_SRC:$(M)/%.c=$(1)/%.o)
	@rm -f $$@ && ar rcs $$@ $$^

$(1)/libvodav.a: $(AV_SRC:$(M)/%.c=$(1)/%.o)
	@rm -f $$@ && ar rcs $$@ $$^

$(3)/vodtool: $(CLI_SRC:$(M)/%.c=$(1)/%.o) $(1)/libvodav.a $(1)/libvodcore.a
	@$$(CC) $(2) -o $$@ $$^ $$(AV_LIBS) $(4)
	@echo "built $$@"

# a unit test that includes a header of av, itself or through one of t/unit, is
# linked with av, the others show that core stands alone

$(3)/fuzz-replay/%: t/fuzz/fuzz_%.c t/fuzz/replay.c $(wildcard t/fuzz/*.h) \
                    $(1)/libvodcore.a $(1)/libvodav.a
	@mkdir -p $$(@D)
	@$$(CC) -std=c99 $$(WARN) $(2) $$(POSIX) -I$(M)/core -I$(M)/av -o $$@ \
	    $$< t/fuzz/replay.c $(1)/libvodav.a $(1)/libvodcore.a $$(AV_LIBS) $(4)

$(3)/unit/%: $(1)/unit/%.o $(1)/libvodcore.a $(1)/libvodav.a
	@mkdir -p $$(@D)
	@if grep -qF $(M)/av/ $(1)/unit/$$*.d; then \
	    $$(CC) $(2) -o $$@ $$< $(1)/libvodav.a $(1)/libvodcore.a \
	        $$(AV_LIBS) $(4); \
	else \
	    $$(CC) $(2) -o $$@ $$< $(1)/libvodcore.a $(4); \
	fi
endef

$(eval $(call room_rules,$(B)/obj,-O2 -g $$(EXTRA_CFLAGS),$(B),))
$(eval $(call room_rules,$(B)/asan/obj,-O1 -g $$(SAN) $$(EXTRA_CFLAGS),$(B)/asan,$$(ASAN_LD)))

UNIT_BIN        := $(UNIT_SRC:t/unit/%.c=%)

.PHONY: unit-build
unit-build: $(UNIT_BIN:%=$(OUT)/unit/%) $(FUZZ_ALL:%=$(OUT)/fuzz-replay/%)

# Objects named here are no intermediate files: kept, and made when they are
# not there even where the product is newer than their source.

.PHONY: objects
objects: $(UNIT_BIN:%=$(B)/obj/unit/%.o) $(UNIT_BIN:%=$(B)/asan/obj/unit/%.o)

-include $(wildcard $(B)/obj/*/*.d $(B)/asan/obj/*/*.d)

include tools/check/detect.mk
