#version 450
layout(location = 0) in vec4 smoothly;
layout(location = 1) noperspective in vec4 linearly;
layout(location = 0) out vec4 color[2];
void main() {
	color[0] = vec4(smoothly.x, linearly.x, smoothly.y, 1);
	color[1] = gl_FragCoord;
}
