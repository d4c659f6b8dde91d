package core

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules/catalogue"
)

// The kinds of failure. They are found with errors.Is in what core returns.
var (
	ErrClosed      = errors.New("closed")
	ErrDeviceLost  = errors.New("device lost")
	ErrOutOfMemory = errors.New("out of memory")
	ErrUnsupported = errors.New("not supported")
	// ErrTooManyObjects: more live allocations than maxMemoryAllocationCount, or more
	// mappings than the process has to spare.
	ErrTooManyObjects = errors.New("too many objects")
	// ErrAddressTaken: a buffer cannot have the address that it had when it was
	// captured.
	ErrAddressTaken = errors.New("the address is taken")
	// ErrHandle: a file descriptor is not what it is taken for.
	ErrHandle = errors.New("not a handle of that type")
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
		b.WriteString(catalogue.Name(e.Rule))
		b.WriteString("]")
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// isContext says that err is a context's.
func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// misuse makes the error of a broken rule. rule is a VUID without its prefix
// "VUID-", or a name in words; hint may be empty.
func (d *Device) misuse(op Op, rule, hint, detail string, args ...any) error {
	return d.report(&Error{Op: string(op), Rule: vuid(rule), Hint: hint, Detail: fmt.Sprintf(detail, args...)})
}

// unsupported makes the error for valid Vulkan that is not there.
func (d *Device) unsupported(op Op, rule, hint, detail string, args ...any) error {
	return d.report(&Error{Op: string(op), Rule: vuid(rule), Hint: hint, Detail: fmt.Sprintf(detail, args...), Err: ErrUnsupported})
}

// vuid adds the prefix to identifiers of Vulkan's rules.
func vuid(rule string) string {
	if strings.HasPrefix(rule, "Vk") || strings.HasPrefix(rule, "vk") {
		return "VUID-" + rule
	}
	return rule
}

// speak puts an error into the language of the device's face.
func (d *Device) speak(e *Error) *Error {
	e.Op, e.Hint, e.Detail = d.named(Op(e.Op)), d.told(e.Hint), d.told(e.Detail)
	return e
}

// report tells Config.Debug about an error and returns it, in the language of the device's face.
func (d *Device) report(err error) error {
	var e *Error
	if errors.As(err, &e) {
		d.speak(e)
	}
	if d == nil || d.cfg.Debug == nil || err == nil {
		return err
	}
	m := Message{Severity: SeverityError, Text: err.Error()}
	if e != nil {
		m.Op, m.Rule = e.Op, e.Rule
	}
	d.cfg.Debug(m)
	return err
}

// Tell tells Config.Debug of an error that the caller has found, and returns it.
func (d *Device) Tell(err error) error { return d.report(err) }

// Warn tells Config.Debug of what breaks no rule of Vulkan, fails nothing, and is hardly meant.
func (d *Device) Warn(op Op, rule, hint, detail string, args ...any) {
	if d != nil && d.cfg.Debug != nil {
		e := d.speak(&Error{Op: string(op), Rule: rule, Hint: hint, Detail: fmt.Sprintf(detail, args...)})
		d.cfg.Debug(Message{Severity: SeverityWarning, Op: e.Op, Rule: rule, Text: e.Error()})
	}
}

// wrap turns an error of a lower package into an *Error of operation op.
func (d *Device) wrap(op Op, err error) error {
	if err == nil {
		return nil
	}
	var (
		own         *Error
		usage       *resource.UsageError
		limit       *resource.LimitError
		unsupported *resource.UnsupportedError
		places      *resource.PlaneLayoutError
		overBudget  *budget.Error
		memLimit    *memory.LimitError
		memSystem   *memory.SystemError
		memSize     *memory.SizeError
		memImport   *memory.ImportError
		memCount    *memory.CountError
	)
	switch {
	case errors.As(err, &own):
		return err
	case isContext(err):
		return &Error{Op: d.named(op), Rule: "context", Detail: "stopped before it was done", Err: err}
	case errors.As(err, &usage):
		return d.report(&Error{Op: string(op), Rule: "VUID-" + usage.VUID, Detail: usage.Detail})
	case errors.As(err, &limit):
		return d.report(&Error{Op: string(op), Rule: "limits", Detail: limit.Error(), Hint: "see VkPhysicalDeviceLimits", Err: ErrUnsupported})
	case errors.As(err, &unsupported):
		return d.report(&Error{Op: string(op), Rule: "unsupported", Detail: unsupported.What + " (VK_ERROR_FORMAT_NOT_SUPPORTED)", Err: ErrUnsupported})
	case errors.As(err, &places):
		return d.report(&Error{Op: string(op), Rule: "VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT", Err: places})
	case errors.As(err, &overBudget):
		return d.report(&Error{Op: string(op), Rule: "VK_ERROR_OUT_OF_DEVICE_MEMORY", Err: fmt.Errorf("%w: %w", ErrOutOfMemory, overBudget)})
	case errors.As(err, &memLimit):
		return d.report(&Error{Op: string(op), Rule: "VK_ERROR_OUT_OF_DEVICE_MEMORY", Detail: memLimit.Error(), Hint: "close objects or raise the limit of device memory", Err: ErrOutOfMemory})
	case errors.As(err, &memSystem):
		return d.report(&Error{Op: string(op), Rule: "VK_ERROR_OUT_OF_DEVICE_MEMORY", Detail: memSystem.Error(), Err: ErrOutOfMemory})
	case errors.As(err, &memCount):
		return d.report(&Error{Op: string(op), Rule: "VK_ERROR_TOO_MANY_OBJECTS", Detail: memCount.Error(), Err: ErrTooManyObjects})
	case errors.As(err, &memImport):
		return d.report(&Error{Op: string(op), Rule: "VK_ERROR_INVALID_EXTERNAL_HANDLE", Detail: memImport.Error(), Err: ErrHandle})
	case errors.As(err, &memSize):
		return d.report(&Error{Op: string(op), Rule: "VUID-VkMemoryAllocateInfo-allocationSize-07897", Detail: memSize.Error()})
	}
	return d.report(&Error{Op: string(op), Err: err})
}
