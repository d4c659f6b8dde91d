package resource

import "fmt"

// UsageError says that a description breaks a valid-usage rule.
type UsageError struct {
	Op     string // the function that refused
	VUID   string // the rule, as in the specification's VUID-<rule>
	Detail string // what is wrong, with the numbers
}

func (e *UsageError) Error() string {
	return fmt.Sprintf("resource: %s: %s (VUID-%s)", e.Op, e.Detail, e.VUID)
}

// LimitError says that a size passes a limit of this implementation.
type LimitError struct {
	What       string
	Value, Max int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("resource: %s: %d is above the limit of %d", e.What, e.Value, e.Max)
}

// UnsupportedError names something that Vulkan has and this package has not.
type UnsupportedError struct{ Op, What string }

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("resource: %s: %s is not supported (VK_ERROR_FORMAT_NOT_SUPPORTED)", e.Op, e.What)
}

// usage makes a UsageError.
func usage(op, vuid, detail string, args ...any) error {
	return &UsageError{Op: op, VUID: vuid, Detail: fmt.Sprintf(detail, args...)}
}
