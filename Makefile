# The two commands of the README. Everything else is CMake: see CMakePresets.json.
BUILD_JOBS ?= $(shell nproc)
CMAKE_ARGS ?=

.PHONY: all demo test bench packages

all: packages
	cmake --preset release $(CMAKE_ARGS)
	cmake --build build -j $(BUILD_JOBS)

# Builds, then runs the main job on a real file and checks a wrong kernel and its repair.
demo: all
	scripts/demo.sh

test: all
	ctest --test-dir build --output-on-failure -j $(BUILD_JOBS)

bench: all
	build/bench/engine_bench

# Installs the Debian packages of scripts/packages.txt that are missing.
packages:
	@scripts/install_packages.sh
