#version 450
void f0() {}
void f1() { f0(); f0(); }
void f2() { f1(); f1(); }
void f3() { f2(); f2(); }
void f4() { f3(); f3(); }
void f5() { f4(); f4(); }
void f6() { f5(); f5(); }
void f7() { f6(); f6(); }
void f8() { f7(); f7(); }
void f9() { f8(); f8(); }
void f10() { f9(); f9(); }
void f11() { f10(); f10(); }
void f12() { f11(); f11(); }
void f13() { f12(); f12(); }
void f14() { f13(); f13(); }
void f15() { f14(); f14(); }
void f16() { f15(); f15(); }
void f17() { f16(); f16(); }
void f18() { f17(); f17(); }
void f19() { f18(); f18(); }
void f20() { f19(); f19(); }
void f21() { f20(); f20(); }
void main() { f21(); gl_Position = vec4(0); }
