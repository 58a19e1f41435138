# The bench module, with the flags and folders of nginx's own build of the
# product (OBJS/Makefile):
#
#   make -C NGINX-SOURCE -f bench/ngx/module.mk OBJS=... ROOT=... OUT=...

include $(OBJS)/Makefile

VOD     := $(ROOT)/ngx_vod_module
SOURCES := $(ROOT)/bench/ngx/ngx_http_vod_bench_module.c \
           $(VOD)/ngx/ngx_http_vod_zone.c $(VOD)/ngx/ngx_http_vod_object.c \
           $(VOD)/ngx/ngx_http_vod_claim.c \
           $(VOD)/ngx/ngx_http_vod_quarantine.c \
           $(VOD)/core/vod_hash.c

.DEFAULT_GOAL := $(OUT)

$(OUT): $(SOURCES) $(ROOT)/bench/ngx/module.mk
	$(CC) -shared -fPIC $(CFLAGS) $(ALL_INCS) -I$(VOD)/ngx -o $@ $(SOURCES)
