#version 450
layout(location = 0) out uvec4 color;
void main() { color = uvec4(uint(gl_SampleID) + 1u, 0u, 0u, 0u); }
