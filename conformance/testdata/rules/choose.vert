#version 450
#extension GL_ARB_shader_viewport_layer_array : require
// Layer and viewport by vertex.
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 value;
void main() {
	gl_Position = position;
	gl_Layer = int(value.x);
	gl_ViewportIndex = int(value.y);
}
