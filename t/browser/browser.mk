# Real players: what is pinned in t/browser plays the fixtures in Chromium.

# Not h264-open-gop.mp4: Chromium's decoder fails on a seek in the plain file,
# too, at the leading pictures of an open GOP with a B pyramid.

BROWSER_ASSETS  ?= frames.mp4 frames.mkv frames.ts flash.flv webm-opus.webm

.PHONY: test-browser
test-browser: ## Chromium, hls.js, Shaka and dash.js play fixtures, seek, end
	@tools/setup.sh browser
	@$(MAKE) all
	@$(MAKE) fixtures
	@$(MAKE) $(B)/npm-browser/node_modules/.package-lock.json
	@node t/browser/players.mjs $(B) $(B)/browser $(BROWSER_ASSETS)
	@echo "the report is $(B)/browser/report.html"

$(B)/npm-browser/node_modules/.package-lock.json: \
                        t/browser/package.json t/browser/package-lock.json
	@mkdir -p $(B)/npm-browser
	@cp $^ $(B)/npm-browser
	@cd $(B)/npm-browser && npm ci --no-audit --no-fund --ignore-scripts \
	    --loglevel=error
	@touch $@
