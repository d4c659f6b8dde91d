// Package sampling executes image instructions: sampling, gathers, fetches,
// storage reads, writes and atomics, and queries, in the order of the
// specification's image operations (IMG-070).
//
// Each step of the specification is one function; together they are the
// reference. Package lower/texel has programs for batches of lanes, chosen by
// state key, with the same bits; what it does not know runs here.
//
// # Device arithmetic
//
// The catalogue's formulas are exact mathematics. What the device computes is
// fixed here, for every CPU and engine. RNE is rounding to nearest, ties to
// even; all products and sums named binary64 round once each.
//
//   - Coordinates. u = s·W + Δ in binary64: s·W is exact (24 bits times at most
//     17), and Δ is added with one rounding. Cube faces: s_face = sc/|rc|·½ + ½
//     in binary32, a quotient and an FMA, then u = s_face·N. NEAREST takes floor(u).
//   - Fractions. LINEAR splits RNE(256·u − 128) into texel i0 and a fraction f
//     of 8 bits (IMG-011 with subTexelPrecisionBits 8); the carry goes into i0.
//     Weights are the integers 256−f and f; those of several dimensions are
//     multiplied, exactly, so they sum to 2^(8·dimensions).
//   - Anisotropy. Axes, η and the places of probes are binary32 (aniso.go), the
//     area of the footprint as differences of products that lose nothing.
//   - Level of detail. ρ² is a binary64 sum of squares, or max²/η² of anisotropy,
//     λ = ½·log2(ρ²) by the fixed series of log2 in lod.go, later sums and clamps
//     binary64. Linear
//     mipmapping splits RNE(256·d) into level and δ (mipmapPrecisionBits 8);
//     level weights are 256−δ and δ. The decision between magnification and
//     minification and NEAREST mipmapping use λ and d unrounded.
//   - Filtering of integer-coded formats (all components UNORM or SNORM of 8
//     or 16 bits, border 0 or 1): the sum S of weight · code of a level is exact
//     in integers over taps and probes, and S divided by (weight sum · largest
//     code) correctly rounded to binary32. Levels mix as below, by a difference
//     and an FMA. The mean of three texels at a cube corner stays exact by a
//     common factor 3.
//   - Filtering of other formats without floats (sRGB decoded, UNORM and SNORM of
//     other sizes and in blocks, borders of 0 and 1): texels are interpolated in
//     binary32, a + f/256·(b−a) as a difference and an FMA, along i, then j, then k,
//     and between levels with δ/256; probes add up in binary64, and their number
//     divides the sum. Equal texels give their own value, since their difference
//     is 0; f is at most 255, so no result is beyond a or b, and each step is off
//     by 2^-24 of |b−a| and of the result at most.
//   - LINEAR filtering of binary16 and smaller floats (blocks of BC6H and ASTC among
//     them, borders of 0 and 1): as above, but a·(1−f/256) + b·f/256, a product and
//     an FMA, as texels may be infinite, no numbers or −0. Products of texels are
//     exact, so that no result is beyond them, and equal ones give their own value.
//   - Filtering of all other formats: texels are binary32; a
//     level's sum Σ weight·texel is binary64 in the order k, j, i ascending;
//     the sums of two levels combine as (256−δ)·S_hi + δ·S_lo; probes add in
//     order; the result is divided by the weight sum and rounded once to
//     binary32. A weight has at most 24 bits, so a product is exact and equal
//     texels give their own value. NaN results are 0x7FC00000.
//   - Taps of weight 0 are not read (IMG-533). A result that is one texel by
//     NEAREST keeps its bits (IMG-247).
//   - Depth comparison happens per texel (IMG-316), on binary32; its 0 and 1
//     filter as "all other formats".
//   - CUBIC filtering takes the same 8-bit fractions. A weight is an integer below
//     2^30 divided once; products of weights and sums, in the order k, j, i, are
//     binary64 and become a level of "all other formats". A component whose texels
//     are all equal gives their value.
//   - Y′CBCR conversion: sums of weight · code are exact in binary64. Divided by
//     the weights, they go through range and model in binary64, once a sample:
//     nothing is clamped, so both commute with every filter (see ycbcr.go).
//   - Image processing: binary64 fractions of full width, sums in the order of
//     rows, one rounding.
//   - Minimum and maximum reduction compare binary32 texels and ignore NaN.
//
// # Out of the ordinary
//
// Null views read as zero and drop writes (IMG-304). Non-finite and huge
// coordinates follow IMG-005…008. An instruction whose shape does not fit its
// view computes the natural result as far as memory allows and returns zero
// otherwise; nothing panics.
package sampling
