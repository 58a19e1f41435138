# Fuzzing: the targets of t/fuzz.  t/fuzz.t replays what is committed there.

FUZZ_ALL        := $(patsubst t/fuzz/fuzz_%.c,%,$(wildcard t/fuzz/fuzz_*.c))
FUZZ            ?= $(FUZZ_ALL)
FUZZ_CC         ?= clang
FUZZ_SAN        := -fsanitize=address,undefined -fno-sanitize-recover=all \
                   -fno-omit-frame-pointer
FUZZ_FLAGS       = -std=c99 -O1 -g $(WARN) $(POSIX) -I$(M)/core -I$(M)/av \
                   $(AV_CFLAGS) $(FUZZ_SAN)
FUZZ_OBJ        := $(B)/fuzz/obj

.PHONY: fuzz
##@ Looking for faults

fuzz: ## [SECONDS=60] [FUZZ="uri file"]: look for inputs that break a reader
	@tools/setup.sh test
	@$(MAKE) $(FUZZ:%=$(B)/fuzz/%)
	@$(MAKE) fixtures
	@t/fuzz/run.sh $(B) "$(or $(SECONDS),60)" $(FUZZ)

$(FUZZ_OBJ)/%.o: $(M)/%.c $(B)/flags
	@mkdir -p $(@D)
	@echo "  FUZZ $<"
	@$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -MMD -c -o $@ $<

$(FUZZ_OBJ)/t/%.o: t/fuzz/%.c $(wildcard t/fuzz/*.h) $(B)/flags
	@mkdir -p $(@D)
	@$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -c -o $@ $<

$(B)/fuzz/%: $(FUZZ_OBJ)/t/fuzz_%.o $(CORE_SRC:$(M)/%.c=$(FUZZ_OBJ)/%.o) \
             $(AV_SRC:$(M)/%.c=$(FUZZ_OBJ)/%.o)
	@$(FUZZ_CC) $(FUZZ_SAN) -fsanitize=fuzzer -o $@ $^ $(AV_LIBS)

.PRECIOUS: $(FUZZ_OBJ)/%.o $(FUZZ_OBJ)/t/%.o

-include $(wildcard $(FUZZ_OBJ)/*/*.d)

.PHONY: torture
torture: ## [SECONDS=60] [SEED=n]: mutated files through an ASan server
	@tools/setup.sh test
	@$(MAKE) asan
	@$(MAKE) fixtures
	@VOD_MEDIA="$(VOD_MEDIA)" python3 t/torture/torture.py $(B) \
	    "$(or $(SECONDS),60)" $(SEED)
