package main

import "fmt"

// Status is how a case ended: a status of the test program, or one of the
// three that only an onlooker can give (Crash, Timeout, Missing).
type Status string

// The statuses. Those above the blank line are spelled as in the test log.
const (
	Pass                 Status = "Pass"
	Fail                 Status = "Fail"
	NotSupported         Status = "NotSupported"
	QualityWarning       Status = "QualityWarning"
	CompatibilityWarning Status = "CompatibilityWarning"
	CapabilityWarning    Status = "CapabilityWarning"
	Waiver               Status = "Waiver"
	ResourceError        Status = "ResourceError"
	InternalError        Status = "InternalError"
	DeviceLost           Status = "DeviceLost"

	Crash   Status = "Crash"   // the program died while the case ran
	Timeout Status = "Timeout" // the case made no progress and was killed
	Missing Status = "Missing" // the program knows no such case
	Garbled Status = "Garbled" // the log has no result for a case that ended
)

// Result is what is known of one case that ran.
type Result struct {
	Case    string  `json:"case"`
	Status  Status  `json:"status"`
	Seconds float64 `json:"seconds,omitempty"`
	// Message is the program's own one-line reason, or the signal that ended it.
	Message string `json:"message,omitempty"`
	// Detail is the last text that the case logged, or the end of the standard
	// error of a program that died; bounded, and empty for cases that passed.
	Detail string `json:"detail,omitempty"`
}

// kind is the column of the table that a status counts in.
type kind int

const (
	kindPassed kind = iota
	kindFailed
	kindNotSupported
	kindCrashed
	kindTimedOut
	kindWarned
	kindMissing
)

// kind sorts every status into a column; one that this tool doesn't know
// counts as failed, so that nothing passes by being new.
func (s Status) kind() kind {
	switch s {
	case Pass:
		return kindPassed
	case NotSupported:
		return kindNotSupported
	case QualityWarning, CompatibilityWarning, CapabilityWarning, Waiver:
		return kindWarned
	case Crash:
		return kindCrashed
	case Timeout:
		return kindTimedOut
	case Missing:
		return kindMissing
	case Fail, ResourceError, InternalError, DeviceLost, Garbled:
		return kindFailed
	default:
		return kindFailed
	}
}

// failing reports whether the status needs a line in the expected-fail list.
func (s Status) failing() bool {
	switch s.kind() {
	case kindFailed, kindCrashed, kindTimedOut:
		return true
	case kindPassed, kindNotSupported, kindWarned, kindMissing:
		return false
	default:
		panic(fmt.Sprintf("cts: status %q has no kind", s))
	}
}

// passing reports whether the case did what it should, if with a remark.
func (s Status) passing() bool { return s.kind() == kindPassed || s.kind() == kindWarned }
