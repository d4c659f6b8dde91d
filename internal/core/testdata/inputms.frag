#version 450
layout(input_attachment_index = 0, set = 0, binding = 0) uniform usubpassInputMS before;
layout(location = 0) out uvec4 color;
void main() { color = uvec4(subpassLoad(before, 0).x + 10u * subpassLoad(before, 3).x, 0u, 0u, 0u); }
