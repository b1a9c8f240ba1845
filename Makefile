# `make demo` shows Purser at work; `make test` runs every test. Each target first installs the
# Debian packages it lacks and says so.

SWIFT_FLAGS := --explicit-target-dependency-import-check error -Xswiftc -require-explicit-sendable

.PHONY: help build release demo run test lint format sanitize sanitize-thread sanitize-address fuzz \
	benchmark soak dependencies clean

help:
	@echo 'make demo       a merchant from nothing to an answered session, against a stand-in for Apple'
	@echo 'make test       all tests'
	@echo 'make lint       format, layering and shell checks'
	@echo 'make sanitize   the tests under ThreadSanitizer, then under AddressSanitizer'
	@echo 'make fuzz       every parser of foreign bytes, half a minute each, under libFuzzer'
	@echo 'make release    .build/release/purser, with a static Swift runtime'
	@echo 'make run        purser serve on a home in Keystore/local'
	@echo 'make soak       the long runs: a thousand kills, many sessions'
	@echo 'make benchmark  side-by-side measurements, printed as ratios'

dependencies:
	@.ci/dependencies

build: dependencies
	swift build $(SWIFT_FLAGS)

release: dependencies
	swift build -c release --static-swift-stdlib $(SWIFT_FLAGS)

test: build
	swift build --build-tests $(SWIFT_FLAGS)
	.ci/watched .ci/tests

lint: dependencies
	.ci/lint

format:
	swift format --in-place --recursive Package.swift Sources Tests

sanitize: sanitize-thread sanitize-address

sanitize-thread: dependencies
	.ci/sanitize thread

sanitize-address: dependencies
	.ci/sanitize address

fuzz: dependencies
	.ci/fuzz

demo: build
	.ci/demo

run: build
	.ci/serve-local

soak: build
	.ci/soak

benchmark: release
	@.ci/dependencies --benchmarks
	Benchmarks/run

clean:
	rm -rf .build
