# Detectors: programs that look for faults which the suites do not show, and the
# proof that they see them.

.PHONY: lint
lint: ## cppcheck and clang-tidy over the module and vodtool
	@tools/setup.sh lint
	@$(MAKE) $(B)/ngx_http_vod_module.so
	@bash tools/check/lint.sh

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

-include $(wildcard $(B)/tsan/obj/*/*.d)
