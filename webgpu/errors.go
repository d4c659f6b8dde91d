package webgpu

import (
	"errors"
	"fmt"

	"github.com/gogpu/wgpu/hal"

	"github.com/pumice-gpu/pumice"
)

// Error says which call of the HAL failed, and why.
type Error struct {
	// Op is the call, "Device.CreateTexture", and Label that of what was to be made; "" where it has
	// none.
	Op, Label string
	// Missing is what the call asked for that Pumice, or this package, lacks; "" where it is something
	// else.
	Missing string
	// Err is the cause: of Missing pumice.ErrUnsupported, or what the HAL has for it; else most often
	// a *pumice.Error or a *shader.Error. Where memory ended or the device was lost, errors.Is also
	// finds hal.ErrDeviceOutOfMemory or hal.ErrDeviceLost.
	Err error
}

// Error puts all of it on one line.
func (e *Error) Error() string {
	s := "webgpu: " + e.Op
	if e.Label != "" {
		s += fmt.Sprintf(" of %q", e.Label)
	}
	if e.Missing != "" {
		s += ": Pumice has no " + e.Missing
	}
	return s + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// missing is the error of what this package lacks.
func missing(op, label, what string, args ...any) error {
	return &Error{
		Op:      op,
		Label:   label,
		Missing: fmt.Sprintf(what, args...),
		Err:     pumice.ErrUnsupported,
	}
}

// failed is what a call of Pumice returned, nil where that is nil; wgpu tells causes by errors of
// its HAL.
func failed(op, label string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, pumice.ErrOutOfMemory), errors.Is(err, pumice.ErrTooManyObjects):
		err = &asHAL{err, hal.ErrDeviceOutOfMemory}
	case errors.Is(err, pumice.ErrDeviceLost), errors.Is(err, pumice.ErrClosed):
		err = &asHAL{err, hal.ErrDeviceLost}
	}
	return &Error{Op: op, Label: label, Err: err}
}

// asHAL is an error of Pumice that is one of the HAL, too.
type asHAL struct{ err, hal error }

func (e *asHAL) Error() string   { return e.err.Error() }
func (e *asHAL) Unwrap() []error { return []error{e.err, e.hal} }

// foreign is the error of an object that another backend, another device or nobody has made.
func foreign(op, label, what string) error {
	return &Error{
		Op:    op,
		Label: label,
		Err:   fmt.Errorf("the %s is none that this device made, or it was destroyed", what),
	}
}
