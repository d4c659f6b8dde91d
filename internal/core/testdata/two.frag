#version 450
layout(location = 0) out uvec4 a;
layout(location = 1) out uvec4 b;
void main() { a = uvec4(1u, 0u, 0u, 0u); b = uvec4(2u, 0u, 0u, 0u); }
