package pumice

import "github.com/pumice-gpu/pumice/internal/core"

// The kinds of failure that a program may want to tell apart; test for them
// with errors.Is.
var (
	// ErrClosed: the object, or its device, was closed before.
	ErrClosed = core.ErrClosed
	// ErrDeviceLost: the device met a broken invariant and takes no more work.
	// Its objects can be closed and a new device opened.
	ErrDeviceLost = core.ErrDeviceLost
	// ErrOutOfMemory: the memory limit (Config.MemoryLimit, Config.Budget) or the
	// machine's memory is used up.
	ErrOutOfMemory = core.ErrOutOfMemory
	// ErrTooManyObjects: more buffers and images with memory of their own than
	// Limits().MaxMemoryAllocationCount, or more than the process has mappings to spare
	// for.
	ErrTooManyObjects = core.ErrTooManyObjects
	// ErrUnsupported: valid Vulkan that this version does not do yet, or a
	// feature or limit that the device does not report.
	ErrUnsupported = core.ErrUnsupported
)

// Error is what every misuse and failure is reported as; get it with errors.As.
//
//	type Error struct {
//		// Op is the call: "Device.NewImage".
//		Op string
//		// Rule is the Vulkan rule that was broken: a VUID or, where Vulkan has
//		// none, a short name in words. "" where there is no rule.
//		Rule string
//		// Detail says what was found, Hint what to do. Both may be "".
//		Detail, Hint string
//		// Err, if not nil, is the cause, or one of the Err… values.
//		Err error
//	}
//
// Error() puts all parts on one line, and Unwrap() returns Err, so that errors.Is finds
// the cause.
type Error = core.Error
