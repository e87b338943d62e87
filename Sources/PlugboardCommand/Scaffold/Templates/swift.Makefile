# make         builds @object@
# make test    runs the tests: a request goes through the plugin, linked and loaded
SWIFT ?= swift
SWIFTFLAGS ?=

# Other objects see one function only: any other symbol could replace one of theirs.
@name@:
	$(SWIFT) build -c release --product @name@ $(SWIFTFLAGS) -Xlinker "--version-script=$(CURDIR)/exports.map"

test:
	$(SWIFT) test $(SWIFTFLAGS)

clean:
	$(SWIFT) package clean

.PHONY: @name@ test clean
