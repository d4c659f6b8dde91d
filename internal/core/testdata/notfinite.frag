#version 450
layout(location = 0) out vec4 color;
// Infinities, a NaN with a payload and a sign, and what stays as it is.
void main() { color = vec4(uintBitsToFloat(0x7F800000u), uintBitsToFloat(0xFF800000u), uintBitsToFloat(0xFFC12345u), uintBitsToFloat(0x7F800000u)); }
