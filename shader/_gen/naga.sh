#!/bin/sh
# Makes naga.wasm.zst of the npm package naga-wasm, with Debian 12's binaryen and zstd. Run it in this folder with
# the folder of the unpacked package (npm pack naga-wasm@30.1.0):
#
#	./naga.sh FOLDER
#
# What is not reached from the functions for WGSL and SPIR-V goes: half of the module. The table of references begins with
# the four entries that JavaScript's side would have added to it.
set -eu
here=$(pwd)
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
python3 - "$out/graph.json" <<'PY'
import json, sys
keep = ["memory", "parseWgsl", "validate", "writeSpirv", "__wbg_module_free", "__wbg_moduleinfo_free", "__wbindgen_malloc", "__wbindgen_realloc",
    "__wbindgen_free", "__wbindgen_start", "__wbindgen_externrefs", "__externref_table_alloc", "__externref_table_dealloc"]
json.dump([{"name": "root", "root": True, "reaches": keep}] + [{"name": k, "export": k} for k in keep], open(sys.argv[1], "w"))
PY
wasm-metadce --all-features -f "$out/graph.json" -o "$out/naga.wasm" "$1/dist/wasm/naga_bg.wasm" > /dev/null
python3 - "$out/naga.wasm" <<'PY'
import sys
code = open(sys.argv[1], "rb").read()
table = bytes.fromhex("6f008008") # externref, no maximum, 1024 entries
assert code.count(table) == 1
open(sys.argv[1], "wb").write(code.replace(table, bytes.fromhex("6f008408")))
PY
zstd -f -q --ultra -22 -o "$here/../naga.wasm.zst" "$out/naga.wasm"
sha256sum "$out/naga.wasm"
