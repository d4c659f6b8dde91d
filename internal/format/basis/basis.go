// Package basis decodes the texels of Basis Universal textures: ETC1S supercompressed by BasisLZ (KTX 2.0 specification, BasisLZ
// Global Data and BasisLZ/ETC1S Bitstream), and UASTC blocks, both of 4×4 texels. Results are bytes in the order R, G, B, A. Slices of
// UASTC HDR 6×6 and XUASTC become blocks of ASTC, those of XUBC7 blocks of BC7.
//
// What a file asks for is bounded by its caller: codebooks have 65535 entries at most, and pictures are decoded into memory that is
// there. All errors are values of one line; no input panics.
package basis
