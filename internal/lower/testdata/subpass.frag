#version 450
layout(input_attachment_index = 0, set = 0, binding = 2) uniform subpassInput s;
layout(location = 0) out vec4 o;
void main() { o = subpassLoad(s); }
