package core

import (
	"context"
	"errors"
	"strings"
)

// The kinds of failure. They are found with errors.Is in what core returns.
var (
	ErrClosed      = errors.New("closed")
	ErrDeviceLost  = errors.New("device lost")
	ErrOutOfMemory = errors.New("out of memory")
	ErrUnsupported = errors.New("not supported")
)

// Error is what every misuse and failure is reported as.
type Error struct {
	// Op is the call, as its user writes it.
	Op string
	// Rule is the VUID that was broken or, where Vulkan has none, a short name
	// in words.
	Rule string
	// Detail says what was found, Hint what to do.
	Detail, Hint string
	// Err is the cause, or one of the Err… values; may be nil.
	Err error
}

// Error puts all parts on one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("pumice: ")
	b.WriteString(e.Op)
	if e.Detail != "" {
		b.WriteString(": ")
		b.WriteString(e.Detail)
	}
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	if e.Hint != "" {
		b.WriteString("; ")
		b.WriteString(e.Hint)
	}
	if e.Rule != "" {
		b.WriteString(" [")
		b.WriteString(e.Rule)
		b.WriteString("]")
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// inOp gives an error an operation if it is none of ours already.
func inOp(op string, err error) error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		if e.Op == "" {
			e.Op = op
		}
		return err
	}
	return &Error{Op: op, Err: err}
}

// isContext says that err is a context's.
func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
