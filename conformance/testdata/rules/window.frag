#version 450
// The viewport, in the places where builtins.frag has it.
layout(location = 0) out vec4 color[4];
void main() {
	color[0] = color[3] = vec4(0);
	color[1] = vec4(0, 0, 0, gl_ViewportIndex);
	color[2] = vec4(0, 0, 0, 1);
}
