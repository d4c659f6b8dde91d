// Package sampling is the lowered form of image instructions: batches of lanes
// go through the steps of the reference (package internal/sampling) side by
// side, on code that is chosen by a key of view, sampler and instruction. Every
// result has the reference's bits.
//
// # Steps
//
// A Unit takes 64 lanes at a time. Coordinates, levels of detail and cube faces
// are found for all lanes; lanes of the same level and filter then go on
// together: coordinates to texel indices and fractions of 8 bits, indices to
// byte offsets (one loop for each address mode), offsets to texels (one loop for
// each class of formats), and texels times weights to sums (one loop for each
// arithmetic of package internal/sampling's comment). A probe of anisotropic
// filtering is such a batch too.
//
// # What is not here
//
// Keys that KeyOf does not know, and lanes whose footprint holds the corner of a
// cube, run on the reference. The former are counted.
package sampling
