#version 450
layout(location = 0) out uvec4 color;
layout(push_constant) uniform Push { uint base; };
void main() { color = uvec4(base + uint(gl_FragCoord.x) + 16u * uint(gl_FragCoord.y), 0u, 0u, 0u); }
