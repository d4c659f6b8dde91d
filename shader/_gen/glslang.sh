#!/bin/sh
# Makes glslang.wasm.zst of Debian's source of glslang, the version that its glslang-tools have, with
# Debian 12's clang-14, lld-14, wasi-libc, libc++-14-dev-wasm32, libc++abi-14-dev-wasm32,
# libclang-rt-14-dev-wasm32, binaryen and zstd. Run it in this folder with the folder of the unpacked source
# (apt-get source glslang):
#
#	./glslang.sh FOLDER
#
# One line of glslang is changed: messages have a column.
set -eu
here=$(pwd)
src=$1
out=${2:-/tmp/glslang-wasm}
mkdir -p "$out/glslang"
cp -rp "$src/." "$out/src"
cd "$out/src"
sed -i 's|snprintf(locText, maxSize, ":%d", loc.line);|snprintf(locText, maxSize, ":%d:%d", loc.line, loc.column);|' glslang/Include/InfoSink.h
grep -q 'loc.line, loc.column' glslang/Include/InfoSink.h
python3 build_info.py . -i build_info.h.tmpl -o "$out/glslang/build_info.h"

flags="--target=wasm32-wasi -std=c++17 -Oz -flto -DNDEBUG -fno-exceptions -fno-rtti -fvisibility=hidden -fsanitize-coverage=func,trace-pc -ffunction-sections -fdata-sections
	-DENABLE_OPT=0 -DGLSLANG_OSINCLUDE_UNIX -ffile-prefix-map=$out=. -I$out/src -I$out -Wno-unused-command-line-argument"
cat > "$out/Makefile" <<MAKE
SRC = \$(wildcard glslang/MachineIndependent/*.cpp glslang/MachineIndependent/preprocessor/*.cpp glslang/GenericCodeGen/*.cpp) \\
	SPIRV/GlslangToSpv.cpp SPIRV/InReadableOrder.cpp SPIRV/Logger.cpp SPIRV/SpvBuilder.cpp SPIRV/SpvPostProcess.cpp SPIRV/doc.cpp \\
	SPIRV/SpvTools.cpp SPIRV/disassemble.cpp OGLCompilersDLL/InitializeDll.cpp StandAlone/ResourceLimits.cpp
OBJ = \$(SRC:%.cpp=$out/obj/%.o) $out/obj/front.o
$out/glslang.wasm: \$(OBJ)
	clang++-14 --target=wasm32-wasi -Oz -flto -mexec-model=reactor -Wl,--gc-sections,--strip-all,-z,stack-size=4194304,--stack-first -o \$@ \$^
$out/obj/front.o: $here/front.cpp
	clang++-14 $(echo $flags) -c -o \$@ \$<
$out/obj/%.o: %.cpp
	@mkdir -p \$(dir \$@)
	clang++-14 $(echo $flags) -c -o \$@ \$<
MAKE
make -f "$out/Makefile" -j"$(nproc)" "$out/glslang.wasm"
wasm-opt -Oz --strip-debug --strip-producers --enable-bulk-memory --enable-sign-ext -o "$out/small.wasm" "$out/glslang.wasm"
zstd -f -q --ultra -22 -o "$here/../glslang.wasm.zst" "$out/small.wasm"
sha256sum "$out/small.wasm"
