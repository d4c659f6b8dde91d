#version 450
#extension GL_ARB_shader_viewport_layer_array : require
void main() {
	gl_Layer = 3 * gl_InstanceIndex;
	gl_Position = vec4(vec2((gl_VertexIndex << 1) & 2, gl_VertexIndex & 2) * 2.0 - 1.0, 0.5, 1.0);
}
