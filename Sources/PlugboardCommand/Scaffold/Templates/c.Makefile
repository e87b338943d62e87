# make         builds @module@.so
# make test    builds it, and sends requests through it with the command `plugboard`
#
# plugboard.h is the installed one (`plugboard plugins sdk`), or else that of include/.
PLUGBOARD ?= plugboard
PLUGBOARD_INCLUDE ?= include
PLUGBOARD_CFLAGS ?= $(shell pkg-config --cflags plugboard 2>/dev/null || echo "-I$(PLUGBOARD_INCLUDE)")
CFLAGS ?= -O2 -g

# A missing symbol is an error here (defs) and at start-up (now), and not at some later call.
plugin := -std=c11 -Wall -Wextra -fPIC -fvisibility=hidden $(PLUGBOARD_CFLAGS) -shared -pthread \
	-Wl,-z,defs -Wl,-z,now -Wl,--version-script=exports.map

@module@.so: @module@.c exports.map
	$(CC) $(CFLAGS) $(plugin) $(LDFLAGS) $< -o $@
	chmod go-w $@  # the loader refuses files that other users may write

test/run: test/run.c
	$(CC) $(CFLAGS) -std=c11 -Wall -Wextra $< -o $@

test: @module@.so test/run
	test/run "$(PLUGBOARD)" plugboard.json
	"$(PLUGBOARD)" plugins test ./@module@.so test/scenarios.json

clean:
	rm -f @module@.so test/run

.PHONY: test clean
