#version 450
// What fixed function would write.
layout(location = 0) out vec4 color;
void main() {
	gl_FragDepth = gl_FragCoord.z;
	color = gl_FragCoord;
}
