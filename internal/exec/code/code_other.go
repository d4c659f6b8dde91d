//go:build !amd64 && !arm64

package code

import "errors"

// Code is machine code, of which there is none here.
type Code struct{}

func (*Code) Bytes() []byte { return nil }
func (*Code) Call(uintptr)  {}

// Load refuses.
func Load([]byte) (*Code, error) { return nil, Refused() }

// Refused says why.
func Refused() error { return errors.New("no machine code is made for this processor") }

// Anonymous makes the memory of later codes one of no file: there is none here.
func Anonymous() {}
