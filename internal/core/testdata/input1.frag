#version 450
layout(input_attachment_index = 0, set = 0, binding = 0) uniform usubpassInput before;
layout(location = 1) out uvec4 color;
void main() { color = uvec4(subpassLoad(before).x * 2u + 1u, 0u, 0u, 0u); }
