#version 450
layout(push_constant) uniform Push { uint loops; };
layout(location = 0) out uint number;
void main()
{
    number = uint(gl_FragCoord.x);
    while ((loops & 2) != 0) {
        number = number * 3u + 1u;
    }
}
