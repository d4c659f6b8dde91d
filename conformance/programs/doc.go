// Package programs holds tests of what shaders compute, operation by operation: each operation in every form and width,
// memory, subgroups and control flow, from SPIR-V through the Go API, on every engine. What must come of them is exact
// arithmetic, written out in the tests.
package programs
