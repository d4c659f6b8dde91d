// Package code keeps machine code in memory that is executable and not writable, and
// calls it. It is for Linux on amd64 and arm64; elsewhere it has nothing.
package code
