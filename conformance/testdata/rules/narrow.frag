#version 450
// Outputs that have some of the components.
layout(location = 2) flat in vec4 flatly;
layout(location = 0) out float red;
layout(location = 1) out vec2 two;
layout(location = 2) out vec3 three;
layout(location = 3, component = 1) out vec2 middle;
layout(location = 4, component = 3) out float alpha;
void main() {
	red = flatly.x;
	two = flatly.xy;
	three = flatly.xyz;
	middle = flatly.yz;
	alpha = flatly.w;
}
