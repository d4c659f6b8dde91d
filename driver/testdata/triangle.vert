#version 450

layout(set = 0, binding = 0) uniform Scale { vec4 scale; }; // clip space from pixels: xy * scale.xy + scale.zw
layout(push_constant) uniform Push { vec4 color; float depth; };

layout(location = 0) in vec2 position;
layout(location = 0) out vec2 coordinate;
layout(location = 1) out vec4 tint;

void main() {
	gl_Position = vec4(position * scale.xy + scale.zw, depth, 1);
	coordinate = position / 64;
	tint = color;
}
