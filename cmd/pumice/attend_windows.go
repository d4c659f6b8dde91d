package main

import (
	"os"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// The console sends ^C to both, this process and the program.
var passedOn, ofTerminals = []os.Signal{os.Interrupt}, []os.Signal{os.Interrupt}

func inForeground() bool { return true }

// tie lets a program that is not started yet end with this process, whatever ends that: both are in
// a job that ends with its last handle, which is this process's, until the function that comes back
// is called.
func tie(*exec.Cmd) (untie func()) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return func() {}
	}
	limit := func(flags uint32) error {
		var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
		info.BasicLimitInformation.LimitFlags = flags
		_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
			uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
		return err
	}
	if limit(windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE) != nil ||
		windows.AssignProcessToJobObject(job, windows.CurrentProcess()) != nil {
		_ = windows.CloseHandle(job)
		return func() {}
	}
	// What the program has left behind stays; the handle goes with this process.
	return func() { _ = limit(0) }
}
