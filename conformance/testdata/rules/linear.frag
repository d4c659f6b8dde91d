#version 450
// One input.
layout(location = 1) noperspective in vec4 linearly;
layout(location = 0) out vec4 color;
void main() {
	color = linearly;
}
