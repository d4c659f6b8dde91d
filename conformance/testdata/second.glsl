// The second output. In passes with one attachment nobody would read it: with ONE it is a variable.
#ifdef ONE
vec4 out1;
#else
layout(location = 1) out vec4 out1;
#endif
