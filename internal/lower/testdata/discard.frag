#version 450
#extension GL_EXT_demote_to_helper_invocation : enable
layout(location = 0) flat in int n;
layout(location = 0) out vec4 o;
int endless(int x) { for (;;) { x += 3; if (x > 20) discard; if (x == 13) return x; } }
void main() {
    int s = 0;
    for (int i = 0; ; i++) {
        for (int j = 0; ; j++) {
            if (j == n) discard;
            if (j > 3) break;
            s += j;
        }
        if (i > 5) break;
    }
    if (n == 7) demote;
    if (n == 9 && !helperInvocationEXT()) discard;
    if (n > 20) s += endless(n - 30);
    o = vec4(float(s), dFdx(float(n)), 2.0, helperInvocationEXT() ? 1.0 : 0.0);
}
