#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 1) uniform sampler2D tex;
layout(push_constant) uniform Push { float table[6]; };
// Asks for a size, and reads push constants at a place that it computes.
void main() { result = vec4(table[int(gl_FragCoord.x) & 3], float(textureSize(tex, 0).x) / 255.0, 0.0, 1.0); }
