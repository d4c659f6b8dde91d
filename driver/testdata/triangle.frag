#version 450

layout(set = 0, binding = 1) uniform sampler2D image;

layout(location = 0) in vec2 coordinate;
layout(location = 1) in vec4 tint;
layout(location = 0) out vec4 color;

void main() { color = texture(image, coordinate) * tint; }
