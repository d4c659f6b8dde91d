#!/usr/bin/env bash
# Builds libFuzzer programs of the module into $OUT, as OSS-Fuzz wants them: there CC,
# CFLAGS, CXX, CXXFLAGS, LIB_FUZZING_ENGINE and OUT are set. Without them it uses clang
# with its own libFuzzer and address sanitizer, and $PWD/fuzzers. With names as
# arguments it builds those only.
#
# Each program has its seeds beside it, NAME_seed_corpus.zip (a folder where there is no
# zip). Faults are Go's to handle: NAME.options says so to engine and sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${OUT:-$PWD/fuzzers}
cc=${CC:-clang} cxx=${CXX:-clang++}
cflags=${CFLAGS:--g -O1 -fsanitize=address}
engine=${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

seeds() { # NAME FILE...
	local name=$1
	shift
	mkdir -p "$work/$name"
	for f in "$@"; do cp "$f" "$work/$name/$(echo "$f" | tr '/ ' '__')"; done
	rm -rf "$out/${name}_seed_corpus"*
	if command -v zip >/dev/null; then
		(cd "$work/$name" && zip -q -r "$out/${name}_seed_corpus.zip" .)
	else
		cp -r "$work/$name" "$out/${name}_seed_corpus"
	fi
	cat >"$out/$name.options" <<-'OPTIONS'
		[libfuzzer]
		handle_segv=0
		handle_bus=0
		handle_ill=0
		handle_fpe=0
		handle_abrt=0
		max_len=65536
		[asan]
		handle_segv=0
		handle_sigbus=0
		handle_sigfpe=0
		handle_sigill=0
		allow_user_segv_handler=1
		detect_leaks=0
		use_sigaltstack=0
	OPTIONS
}

# A target of _targets: Go's coverage counters go to libFuzzer.
archive() { # NAME SEED...
	CC=$cc go build -buildmode=c-archive -tags libfuzzer -gcflags=all=-d=libfuzzer -ldflags="-X main.target=$1" -o "$work/$1.a" ./ossfuzz/_targets
	$cxx $cflags $engine "$work/$1.a" -o "$out/$1" -lpthread
	seeds "$@"
}

# The driver behind its C front, and the client that calls it.
front() {
	CC=$cc CGO_CFLAGS="$cflags -Wno-unused-function" go build -buildmode=c-shared -o "$out/libvulkan_pumice.so" ./driver
	$cc $cflags -std=gnu11 -I driver/testdata/include -c driver/testdata/fuzz.c -o "$work/front.o"
	$cxx $cflags $engine "$work/front.o" -Wl,-rpath,'$ORIGIN' -o "$out/front" -ldl
	seeds front driver/testdata/fuzzcorpus/*
}

for name in ${*:-shader disassembly gltf image front}; do
	echo "-- $name"
	case $name in
	shader) archive shader internal/lower/testdata/*.spv conformance/testdata/*.spv ;;
	disassembly) archive disassembly testdata/*.spv ;;
	gltf) archive gltf gltf/testdata/fuzz/FuzzGLB/* docs/samples/*.glb docs/samples/*.obj ;;
	image) archive image docs/images/teapot.png ;;
	front) front ;;
	*) echo "no target $name" >&2; exit 1 ;;
	esac
done
