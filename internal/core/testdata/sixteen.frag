#version 450
// Sixteen outputs: unsigned integers, colours of 8 bits and floats in turns, each with its number.
layout(location = 0) out uvec4 o0;
layout(location = 1) out vec4 o1;
layout(location = 2) out vec4 o2;
layout(location = 3) out uvec4 o3;
layout(location = 4) out vec4 o4;
layout(location = 5) out vec4 o5;
layout(location = 6) out uvec4 o6;
layout(location = 7) out vec4 o7;
layout(location = 8) out vec4 o8;
layout(location = 9) out uvec4 o9;
layout(location = 10) out vec4 o10;
layout(location = 11) out vec4 o11;
layout(location = 12) out uvec4 o12;
layout(location = 13) out vec4 o13;
layout(location = 14) out vec4 o14;
layout(location = 15) out uvec4 o15;
void main() {
	uint x = uint(gl_FragCoord.x);
	o0 = uvec4(100u * 0 + x);
	o1 = vec4(1 / 255.0);
	o2 = vec4(2.5 + x);
	o3 = uvec4(100u * 3 + x);
	o4 = vec4(4 / 255.0);
	o5 = vec4(5.5 + x);
	o6 = uvec4(100u * 6 + x);
	o7 = vec4(7 / 255.0);
	o8 = vec4(8.5 + x);
	o9 = uvec4(100u * 9 + x);
	o10 = vec4(10 / 255.0);
	o11 = vec4(11.5 + x);
	o12 = uvec4(100u * 12 + x);
	o13 = vec4(13 / 255.0);
	o14 = vec4(14.5 + x);
	o15 = uvec4(100u * 15 + x);
}
