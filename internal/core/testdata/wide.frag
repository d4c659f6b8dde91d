#version 450
layout(location = 0) flat in vec4 first;
layout(location = 1) in vec4 rest[126];
layout(location = 0) out uvec4 color;
void main() {
	uint sum = 0;
	for (int i = 0; i < 127; i++)
		for (int k = 0; k < 4; k++)
			sum = 31u * sum + uint(round(i == 0 ? first[k] : rest[i - 1][k]));
	color = uvec4(sum);
}
