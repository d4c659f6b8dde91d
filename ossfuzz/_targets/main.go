// Command targets is what build.sh makes into libFuzzer programs: an archive for C
// whose one function runs the target named when it is linked. The same code as the fuzz
// targets of the packages drive, for engines that are not Go's.
package main

// #include <stddef.h>
import "C"

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/imagefile"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
	"github.com/pumice-gpu/pumice/internal/spirv/dis"
)

// target is set by the linker: the name of one of targets.
var target string

var targets = map[string]func(data []byte){"shader": shader, "disassembly": disassembly, "gltf": model, "image": image}

//export LLVMFuzzerInitialize
func LLVMFuzzerInitialize(*C.int, unsafe.Pointer) C.int {
	if targets[target] == nil {
		panic(fmt.Sprintf("no target %q", target))
	}
	return 0
}

//export LLVMFuzzerTestOneInput
func LLVMFuzzerTestOneInput(data *C.char, size C.size_t) C.int {
	targets[target](bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(data)), size)))
	return 0
}

// shader compiles all entry points: a typed error, or a program that verifies.
func shader(data []byte) {
	m, err := spirv.ParseBytes(data)
	if err != nil {
		return
	}
	for _, e := range m.EntryPoints {
		p, err := lower.Compile(m, e.Name, lower.Options{})
		if err == nil {
			err = ir.Verify(p)
			if err != nil {
				panic(err)
			}
			continue
		}
		var u *lower.UnsupportedError
		var s *spirv.Error
		if !errors.As(err, &u) && !errors.As(err, &s) {
			panic(fmt.Sprintf("error of type %T: %v", err, err))
		}
	}
}

func model(data []byte) {
	_, err := gltf.Read(context.Background(), bytes.NewReader(data), nil, "model.gltf", &gltf.Options{Budget: budget.New(1<<20, "the limit")})
	var e *gltf.Error
	if err != nil && !errors.As(err, &e) {
		panic(fmt.Sprintf("error of type %T: %v", err, err))
	}
}

func image(data []byte) {
	_, err := imagefile.Decode(context.Background(), bytes.NewReader(data), imagefile.Options{Budget: budget.New(1<<20, "the limit")})
	var e *imagefile.Error
	if err != nil && !errors.As(err, &e) {
		panic(fmt.Sprintf("error of type %T: %v", err, err))
	}
}

func disassembly(data []byte) {
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	dis.Text(words)
}

func main() {} // never called: the engine is
