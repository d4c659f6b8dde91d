//go:build js || wasip1

package main

// keepPipeErrors has nothing to do: there are no signals, such writes are errors.
func keepPipeErrors() {}
