// Package code keeps machine code in memory that is executable and not writable, and calls it, on amd64 and arm64. Systems
// without such memory refuse it (Refused), and the portable machine does the work.
//
// Tests run on Linux, and on Windows under Wine; on macOS, FreeBSD and its kin it is built and has not been tried.
package code
