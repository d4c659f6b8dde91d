#version 450
layout(location = 0) flat out uint instance;
void main() {
	instance = gl_InstanceIndex;
	gl_Position = vec4(vec2((gl_VertexIndex << 1) & 2, gl_VertexIndex & 2) * 2.0 - 1.0, 0.5, 1.0);
}
