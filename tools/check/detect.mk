# Detectors: programs that look for faults which the suites do not show, and the
# proof that they see them.

.PHONY: lint
lint: ## cppcheck and clang-tidy over the module and vodtool
	@tools/setup.sh lint
	@$(MAKE) $(B)/ngx_http_vod_module.so
	@bash tools/check/lint.sh

.PHONY: test-valgrind
test-valgrind: ## [TESTS="t/x.t"]: unit tests, vodtool and suites under valgrind
	@tools/setup.sh test
	@tools/setup.sh lint
	@$(MAKE) all
	@$(MAKE) OBJ=$(B)/obj OUT=$(B) unit-build
	@$(MAKE) fixtures
	@$(TEST_ENV) PROVE="$(PROVE)" bash tools/check/valgrind.sh $(B) \
	    "$(if $(filter-out file,$(origin TESTS)),$(TESTS))"

# the one program in which threads meet without nginx; memory is laid out as it
# always is, where a kernel shuffles more than the sanitizer expects

$(eval $(call room_rules,$(B)/tsan/obj,-O1 -g -fsanitize=thread $$(EXTRA_CFLAGS),$(B)/tsan,))

.PHONY: test-tsan
test-tsan: ## indexes and segments by four threads under ThreadSanitizer
	@tools/setup.sh test
	@$(MAKE) fixtures
	@$(MAKE) $(B)/tsan/unit/av_threads_test
	@echo "== threads with ThreadSanitizer"
	@$(TEST_ENV) TSAN_OPTIONS="exitcode=66 second_deadlock_stack=1" \
	    $(PROVE) --exec 'setarch -R' $(B)/tsan/unit/av_threads_test
	@$(TEST_ENV) TSAN_OPTIONS="exitcode=66 second_deadlock_stack=1" \
	    $(PROVE) --exec 'setarch -R' $(B)/tsan/unit/av_threads_test :: \
	    $(wildcard t/fuzz/corpus/file/*)

$(eval $(call room_rules,$(B)/cov/obj,-O0 -g --coverage $$(EXTRA_CFLAGS),$(B)/cov,))

.PHONY: coverage
coverage: ## lines that unit tests, fuzz corpora and vodtool reach, by room
	@tools/setup.sh test
	@$(MAKE) fixtures
	@$(MAKE) $(B)/cov/vodtool
	@$(MAKE) OBJ=$(B)/cov/obj OUT=$(B)/cov unit-build
	@$(TEST_ENV) bash tools/check/coverage.sh $(B)

.PHONY: plant
plant: ## a fault of each kind in a copy of the tree: each must be caught
	@tools/setup.sh test
	@tools/setup.sh lint
	@$(MAKE) all
	@$(MAKE) fixtures
	@tools/plant.sh "$(ROOT)" "$(ROOT)/$(B)/plant"

-include $(wildcard $(B)/tsan/obj/*/*.d $(B)/cov/obj/*/*.d)
