# Benchmarks; none of them is a test.  bench/README.md says what each measures.

BENCH_OBJ       := $(B)/bench/obj
BENCH_RUN        = BENCH_COMMAND="make $@" VOD_BUILD="$(ROOT)/$(B)" \
                   python3 bench/run.py
BENCH_INC       := -I$(M)/core -I$(M)/av
BENCH_LIBS       = $(B)/obj/libvodav.a $(B)/obj/libvodcore.a
BENCH_CC         = $(CC) -O2 -g -std=c99 $(WARN)
BENCH_MICRO     := $(wildcard bench/micro/*.c)
BENCH_TREE       = $(if $(NGX_SRC),$(ROOT)/$(B)/nginx.src,/usr/share/nginx/src)

export BENCH PEER_URL STREAMS SECONDS BUDGET_STREAMS BUDGET_SECONDS \
       BUDGET_WORKERS BUDGET_GOALS

.PHONY: bench bench-enforce bench-twin bench-growth bench-peers bench-quick \
        bench-full bench-smoke bench-baseline bench-compare bench-load \
        bench-soak bench-sizes bench-profile bench-results bench-all bench-build

##@ Benchmarks (bench/README.md)

bench: bench-set bench-build ## every budget with its figure, PASS or MISS
	@$(BENCH_RUN) budgets

bench-enforce: bench-set bench-build ## the same; fails where one is missed
	@$(BENCH_RUN) enforce

bench-twin: bench-set bench-build ## against the same bytes as static files
	@$(BENCH_RUN) twin

bench-growth: bench-set bench-build ## cost against length, assets, segment
	@$(BENCH_RUN) growth

bench-peers: bench-set bench-build ## [PEER_URL=name=url]: head to head
	@$(BENCH_RUN) peers

bench-quick: bench-build ## [BENCH=part]: counts of the layers, 10 s
	@$(BENCH_RUN) quick

bench-full: bench-build ## [BENCH=part]: the same with times, minutes
	@$(BENCH_RUN) full

bench-smoke: bench-build ## that the benchmarks build and run
	@$(BENCH_RUN) smoke

bench-baseline: bench-build ## rewrites bench/baseline.txt
	@$(BENCH_RUN) baseline

bench-compare: bench-build ## fails where a count has risen
	@$(BENCH_RUN) compare

bench-load: bench-set bench-build ## knee, constant rates, TLS, cold files
	@$(BENCH_RUN) load

bench-soak: bench-set bench-build ## [STREAMS=1800 SECONDS=1800]
	@$(BENCH_RUN) soak

bench-sizes: bench-build ## bytes of the module and of an index
	@$(BENCH_RUN) sizes

bench-profile: bench-set bench-build ## where the worker's time goes (perf)
	@$(BENCH_RUN) profile

bench-results: ## bench/RESULTS.md from the runs that were kept
	@$(BENCH_RUN) results

bench-all: bench-set bench-build ## all of the above, one after the other
	@for name in sizes quick full budgets twin growth peers load soak \
	    $(if $(shell command -v perf),profile); do \
	    $(BENCH_RUN) $$name || exit 1; \
	done
	@$(BENCH_RUN) results

.PHONY: bench-set
bench-set:
	@tools/setup.sh bench

# ---- programs

bench-build: $(B)/ngx_http_vod_module.so $(B)/vodtool $(B)/bench/client \
             $(B)/bench/libcount.so $(B)/bench/micro $(B)/bench/micro-count \
             $(B)/bench/load $(B)/bench/load-count \
             $(B)/bench/ngx_http_vod_bench_module.so

$(B)/bench/client: bench/client.c $(B)/flags
	@mkdir -p $(@D)
	@$(CC) -O2 -g $(WARN) -o $@ $<

# a copy function must not become a call of itself

BENCH_NO_LOOPS   = $(if $(findstring clang,$(CC)),, \
                       -fno-tree-loop-distribute-patterns)
BENCH_COUNT_CC   = $(CC) -O1 -g $(WARN) -fno-builtin $(BENCH_NO_LOOPS)

$(B)/bench/libcount.so: bench/count.c bench/count.h $(B)/flags
	@mkdir -p $(@D)
	@$(BENCH_COUNT_CC) -fPIC -shared -o $@ $<

$(B)/bench/count.o: bench/count.c bench/count.h $(B)/flags
	@mkdir -p $(@D)
	@$(BENCH_COUNT_CC) -c -o $@ $<

$(B)/bench/micro: $(BENCH_MICRO) bench/micro/micro.h $(BENCH_LIBS)
	@mkdir -p $(@D)
	@$(BENCH_CC) $(BENCH_INC) -o $@ $(BENCH_MICRO) $(BENCH_LIBS) $(AV_LIBS)

$(B)/bench/micro-count: $(BENCH_MICRO) bench/micro/micro.h $(BENCH_LIBS) \
                        $(B)/bench/count.o
	@$(BENCH_CC) -DCOUNT $(BENCH_INC) -o $@ $(BENCH_MICRO) \
	    $(B)/bench/count.o $(BENCH_LIBS) $(AV_LIBS)

$(B)/bench/load: bench/load.c $(BENCH_LIBS)
	@mkdir -p $(@D)
	@$(BENCH_CC) $(BENCH_INC) -o $@ $< $(BENCH_LIBS) $(AV_LIBS)

$(B)/bench/load-count: bench/load.c $(BENCH_LIBS) $(B)/bench/count.o
	@$(BENCH_CC) -DCOUNT $(BENCH_INC) -o $@ $< $(B)/bench/count.o \
	    $(BENCH_LIBS) $(AV_LIBS)

$(B)/bench/ngx_http_vod_bench_module.so: $(wildcard bench/ngx/*) \
                        bench/count.h $(B)/ngx_http_vod_module.so
	@mkdir -p $(@D)
	@MAKEFLAGS= $(MAKE) -s -B -C $(BENCH_TREE) \
	    -f $(ROOT)/bench/ngx/module.mk OBJS=$(ROOT)/$(B)/nginx \
	    ROOT=$(ROOT) OUT=$(ROOT)/$@
