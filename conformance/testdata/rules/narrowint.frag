#version 450
// Integer outputs that have some of the components.
layout(location = 2) flat in vec4 flatly;
layout(location = 0) out uint red;
layout(location = 1) out uvec2 two;
layout(location = 2) out uvec3 three;
layout(location = 3, component = 1) out uvec2 middle;
layout(location = 4, component = 3) out uint alpha;
void main() {
	uvec4 number = uvec4(flatly);
	red = number.x;
	two = number.xy;
	three = number.xyz;
	middle = number.yz;
	alpha = number.w;
}
