#version 450
layout(quads, fractional_odd_spacing, cw) in;
layout(location = 0) in vec4 tint[];
layout(location = 1) patch in vec4 middle;
layout(location = 0) out vec4 shade;
layout(location = 1) flat out uint mark;
void main() {
	vec2 c = gl_TessCoord.xy;
	gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, c.x), mix(gl_in[3].gl_Position, gl_in[2].gl_Position, c.x), c.y);
	shade = mix(mix(mix(tint[0], tint[1], c.x), mix(tint[3], tint[2], c.x), c.y), middle, 0.3);
	mark = uint(gl_PrimitiveID) + uint(c.x * 8.0) + uint(gl_TessLevelOuter[1]);
}
