//go:build linux

package main_test

import "testing"

// TestMappings_LeaveTheHostItsHalf: a program that allocates what it may, and more,
// still has mappings for its allocator and threads.
func TestMappings_LeaveTheHostItsHalf(t *testing.T) { client(t, false, "mappings", "testdata") }
