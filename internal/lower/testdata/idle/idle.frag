#version 450
// Loops that do nothing, and loops that do: see TestIdleLoops.
layout(location = 0) out vec4 colour;
layout(push_constant) uniform P { int n; float x; };
void main() {
    float s = 0.0;
    for (int i = 0; i < 100; i++) { // stays: it adds, too often to be written out
        s += float(i) * 0.0001;
        for (int k = 0; k < 20; k++) { // empty
        }
    }
    int m = clamp(n, 0, 9);
    for (int k = 0; k < m; k++) { // a bound that nobody knows
        for (int j = m; j > 0; j--) { // in which another one is
        }
    }
    for (float f = 0.0; f < 1.0; f += 0.1) { // floats, of which it is known where they begin
    }
    for (uint u = 1u; u != 0u; u <<= 1) { // shifts
    }
    float unused = x;
    for (int k = 0; k < 100; k += 4) { // what it computes nobody reads
        unused = unused * x + sin(unused);
        if (unused > 3.0) break;
    }
    float last = 0.0;
    for (int k = 0; k < 30; k++) // each turn does the same
        last = x * 2.0;
    int w = 0;
    do { w += 2; } while (w < 40); // the condition is at its end
    for (int k = 0; k < 100; k++) { // some turns do not: it stays
        if (k == n) s = 1.0;
    }
    colour = vec4(s, last, gl_FragCoord.xy / 256.0);
}
