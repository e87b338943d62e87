# make         builds @object@
# make test    runs the tests: a request goes through the plugin, linked and loaded
SWIFT ?= swift
SWIFTFLAGS ?=

# Of all that is in the object, others see one function only: what they would see else could stand in for their own.
@name@:
	$(SWIFT) build -c release --product @name@ $(SWIFTFLAGS) -Xlinker "--version-script=$(CURDIR)/exports.map"

test:
	$(SWIFT) test $(SWIFTFLAGS)

clean:
	$(SWIFT) package clean

.PHONY: @name@ test clean
