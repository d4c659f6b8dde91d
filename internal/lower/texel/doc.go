// Package texel builds image instructions as programs: from a state key to IR over rows
// of lanes, which engines run like shaders. A program computes the bits of the
// reference (package sampling), with cheaper arithmetic whose proofs stand
// beside it; what numbers of a view and sampler it needs, it reads from a block of
// parameters, so that all views of a kind share it.
package texel
