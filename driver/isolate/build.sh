#!/bin/sh
# Builds the front without Go, the helper, and a manifest for the loader, into a folder: sh driver/isolate/build.sh FOLDER
# CC is a C compiler, of glibc or musl: what it makes loads on both.
set -e
[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
mkdir -p "$1"
to=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
"${CC:-cc}" -O2 -std=gnu11 -fPIC -shared -nostdlib -fvisibility=hidden -DPUMICE_FRONT -U_FORTIFY_SOURCE -fno-stack-protector -Wall -Wextra \
	-Wl,--version-script=exports.map -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,nodelete -s \
	-o "$to/libvulkan_pumice_front.so" isolate/*.c encode_gen.c entries_gen.c poll.c wsi_wayland.c wsi_xcb.c
CGO_ENABLED=0 go build -buildvcs=false -ldflags='-s -w' -o "$to/pumice-driver" ./pumice-driver
cat >"$to/pumice_front_icd.json" <<END
{"file_format_version": "1.0.1", "ICD": {"library_path": "$to/libvulkan_pumice_front.so", "api_version": "1.4.328"}}
END
