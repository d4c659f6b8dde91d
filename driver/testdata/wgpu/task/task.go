// Package task is what each of the programs here does: it computes, and draws a picture.
package task

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"os"
)

// Shader has the entry points steps, corner and color.
//
//go:embed shader.wgsl
var Shader string

// Numbers is how many numbers steps is given: 1, 2, 3 …; Size how many pixels the picture has each way, of four bytes
// (rgba8unorm), in rows without gaps. Its ground is Ground.
const (
	Numbers = 256
	Size    = 64
)

// Ground is the colour of what the triangle leaves, in red, green, blue and alpha.
var Ground = [4]float64{0, 0, 0.2, 1}

// Input is the numbers, as bytes.
func Input() (b []byte) {
	for i := range uint32(Numbers) {
		b = binary.LittleEndian.AppendUint32(b, i+1)
	}
	return b
}

// Done tells the adapter's name, and writes what came out to the file that the command line names.
func Done(adapter string, numbers, picture []byte) {
	fmt.Println("adapter:", adapter)
	Must(os.WriteFile(os.Args[1], append(numbers[:len(numbers):len(numbers)], picture...), 0o600))
}

// Must ends the program where there is an error.
func Must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Have is Must for a value.
func Have[T any](v T, err error) T {
	Must(err)
	return v
}
