/* A textured, spinning cube in Direct3D 11: cube.exe FRAMES [WIDTH HEIGHT [MILLISECONDS that the last picture stays]]. For Wine with DXVK;
   docs/programs.md says how. x86_64-w64-mingw32-gcc -O2 -o cube.exe d3d11cube.c -ld3d11 -ldxgi -ld3dcompiler_47 */
#define COBJMACROS
#define INITGUID
#include <windows.h>
#include <d3d11.h>
#include <d3dcompiler.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define TRY(x) do { HRESULT hr_ = (x); if (FAILED(hr_)) { printf("%s: %08lx\n", #x, hr_); fflush(stdout); ExitProcess(1); } } while (0)
static const char hlsl[] =
"cbuffer C : register(b0) { float4 r0, r1, r2, r3; };\n"
"Texture2D tex : register(t0); SamplerState smp : register(s0);\n"
"struct V { float4 pos : SV_Position; float2 uv : TEXCOORD0; float3 n : TEXCOORD1; };\n"
"V vs(float3 p : POSITION, float2 uv : TEXCOORD0, float3 n : NORMAL) { V o; float4 q = float4(p, 1);\n"
"  o.pos = float4(dot(r0, q), dot(r1, q), dot(r2, q), dot(r3, q)); o.uv = uv; o.n = n; return o; }\n"
"float4 ps(V i) : SV_Target { float l = 0.4 + 0.6 * max(dot(normalize(i.n), float3(0.36, 0.48, 0.8)), 0.0);\n"
"  return tex.Sample(smp, i.uv) * l; }\n";
static void mul(float *o, const float *a, const float *b) {
	for (int r = 0; r < 4; r++) for (int c = 0; c < 4; c++) { float s = 0; for (int k = 0; k < 4; k++) s += a[r*4+k] * b[k*4+c]; o[r*4+c] = s; }
}
int main(int argc, char **argv) {
	int frames = argc > 1 ? atoi(argv[1]) : 60, w = argc > 3 ? atoi(argv[2]) : 640, h = argc > 3 ? atoi(argv[3]) : 480;
	WNDCLASSA wc = { .lpfnWndProc = DefWindowProcA, .lpszClassName = "cube", .hInstance = GetModuleHandleA(0) };
	RegisterClassA(&wc);
	HWND win = CreateWindowA("cube", "cube", WS_POPUP | WS_VISIBLE, 0, 0, w, h, 0, 0, wc.hInstance, 0);
	DXGI_SWAP_CHAIN_DESC sd = { .BufferDesc = { .Width = w, .Height = h, .Format = DXGI_FORMAT_R8G8B8A8_UNORM }, .SampleDesc = { 1, 0 },
		.BufferUsage = DXGI_USAGE_RENDER_TARGET_OUTPUT, .BufferCount = 2, .OutputWindow = win, .Windowed = TRUE, .SwapEffect = DXGI_SWAP_EFFECT_FLIP_DISCARD };
	ID3D11Device *dev; ID3D11DeviceContext *ctx; IDXGISwapChain *swap;
	D3D_FEATURE_LEVEL want = D3D_FEATURE_LEVEL_11_0;
	TRY(D3D11CreateDeviceAndSwapChain(0, D3D_DRIVER_TYPE_HARDWARE, 0, 0, &want, 1, D3D11_SDK_VERSION, &sd, &swap, &dev, 0, &ctx));
	ID3D11Texture2D *back, *zb; ID3D11RenderTargetView *rtv; ID3D11DepthStencilView *dsv;
	TRY(IDXGISwapChain_GetBuffer(swap, 0, &IID_ID3D11Texture2D, (void **)&back));
	TRY(ID3D11Device_CreateRenderTargetView(dev, (ID3D11Resource *)back, 0, &rtv));
	D3D11_TEXTURE2D_DESC td = { .Width = w, .Height = h, .MipLevels = 1, .ArraySize = 1, .Format = DXGI_FORMAT_D32_FLOAT, .SampleDesc = { 1, 0 }, .BindFlags = D3D11_BIND_DEPTH_STENCIL };
	TRY(ID3D11Device_CreateTexture2D(dev, &td, 0, &zb));
	TRY(ID3D11Device_CreateDepthStencilView(dev, (ID3D11Resource *)zb, 0, &dsv));
	static unsigned texels[256 * 256];
	for (int y = 0; y < 256; y++) for (int x = 0; x < 256; x++) texels[y*256+x] = 0xff000000 | ((x ^ y) << 16) | (((x / 32 + y / 32) & 1 ? 220 : 90) << 8) | y;
	td = (D3D11_TEXTURE2D_DESC){ .Width = 256, .Height = 256, .MipLevels = 1, .ArraySize = 1, .Format = DXGI_FORMAT_R8G8B8A8_UNORM, .SampleDesc = { 1, 0 }, .BindFlags = D3D11_BIND_SHADER_RESOURCE };
	D3D11_SUBRESOURCE_DATA data = { texels, 1024 };
	ID3D11Texture2D *tex; ID3D11ShaderResourceView *srv; ID3D11SamplerState *smp;
	TRY(ID3D11Device_CreateTexture2D(dev, &td, &data, &tex));
	TRY(ID3D11Device_CreateShaderResourceView(dev, (ID3D11Resource *)tex, 0, &srv));
	D3D11_SAMPLER_DESC ss = { .Filter = D3D11_FILTER_MIN_MAG_MIP_LINEAR, .AddressU = D3D11_TEXTURE_ADDRESS_WRAP, .AddressV = D3D11_TEXTURE_ADDRESS_WRAP, .AddressW = D3D11_TEXTURE_ADDRESS_WRAP, .MaxLOD = 1000 };
	TRY(ID3D11Device_CreateSamplerState(dev, &ss, &smp));
	ID3DBlob *vb, *pb, *err = 0;
	if (FAILED(D3DCompile(hlsl, sizeof hlsl - 1, 0, 0, 0, "vs", "vs_4_0", 0, 0, &vb, &err)) || FAILED(D3DCompile(hlsl, sizeof hlsl - 1, 0, 0, 0, "ps", "ps_4_0", 0, 0, &pb, &err))) {
		printf("%s\n", err ? (char *)ID3D10Blob_GetBufferPointer(err) : "compile"); return 1; }
	ID3D11VertexShader *vs; ID3D11PixelShader *ps; ID3D11InputLayout *il;
	TRY(ID3D11Device_CreateVertexShader(dev, ID3D10Blob_GetBufferPointer(vb), ID3D10Blob_GetBufferSize(vb), 0, &vs));
	TRY(ID3D11Device_CreatePixelShader(dev, ID3D10Blob_GetBufferPointer(pb), ID3D10Blob_GetBufferSize(pb), 0, &ps));
	D3D11_INPUT_ELEMENT_DESC el[] = { { "POSITION", 0, DXGI_FORMAT_R32G32B32_FLOAT, 0, 0 }, { "TEXCOORD", 0, DXGI_FORMAT_R32G32_FLOAT, 0, 12 }, { "NORMAL", 0, DXGI_FORMAT_R32G32B32_FLOAT, 0, 20 } };
	TRY(ID3D11Device_CreateInputLayout(dev, el, 3, ID3D10Blob_GetBufferPointer(vb), ID3D10Blob_GetBufferSize(vb), &il));
	float verts[36][8]; int n = 0;
	for (int axis = 0; axis < 3; axis++) for (int s = -1; s <= 1; s += 2) for (int k = 0; k < 6; k++) {
		static const int qu[] = { 0, 1, 1, 0, 1, 0 }, qv[] = { 0, 0, 1, 0, 1, 1 };
		float *v = verts[n++]; int a = (axis + 1) % 3, b = (axis + 2) % 3;
		int u = s > 0 ? qu[k] : qv[k], t = s > 0 ? qv[k] : qu[k];
		v[axis] = s; v[a] = u * 2 - 1; v[b] = t * 2 - 1; v[3] = u; v[4] = t; v[5] = v[6] = v[7] = 0; v[5 + axis] = s;
	}
	D3D11_BUFFER_DESC bd = { .ByteWidth = sizeof verts, .BindFlags = D3D11_BIND_VERTEX_BUFFER };
	data = (D3D11_SUBRESOURCE_DATA){ verts };
	ID3D11Buffer *vbuf, *cbuf; UINT stride = 32, zero = 0;
	TRY(ID3D11Device_CreateBuffer(dev, &bd, &data, &vbuf));
	bd = (D3D11_BUFFER_DESC){ .ByteWidth = 64, .Usage = D3D11_USAGE_DYNAMIC, .BindFlags = D3D11_BIND_CONSTANT_BUFFER, .CPUAccessFlags = D3D11_CPU_ACCESS_WRITE };
	TRY(ID3D11Device_CreateBuffer(dev, &bd, 0, &cbuf));
	D3D11_RASTERIZER_DESC rd = { .FillMode = D3D11_FILL_SOLID, .CullMode = D3D11_CULL_BACK, .DepthClipEnable = TRUE };
	ID3D11RasterizerState *rs; TRY(ID3D11Device_CreateRasterizerState(dev, &rd, &rs));
	LARGE_INTEGER hz, t0, t1; QueryPerformanceFrequency(&hz); QueryPerformanceCounter(&t0);
	for (int f = 0; f < frames; f++) {
		MSG msg; while (PeekMessageA(&msg, 0, 0, 0, PM_REMOVE)) DispatchMessageA(&msg);
		float a = f * 0.02f, b = f * 0.013f + 0.5f, ca = cosf(a), sa = sinf(a), cb = cosf(b), sb = sinf(b), zn = 1, zf = 20, k = 1.8f;
		float ry[16] = { ca, 0, sa, 0, 0, 1, 0, 0, -sa, 0, ca, 0, 0, 0, 0, 1 }, rx[16] = { 1, 0, 0, 0, 0, cb, -sb, 0, 0, sb, cb, 5, 0, 0, 0, 1 };
		float pr[16] = { k * h / w, 0, 0, 0, 0, k, 0, 0, 0, 0, zf / (zf - zn), -zn * zf / (zf - zn), 0, 0, 1, 0 }, m[16], mvp[16];
		mul(m, rx, ry); mul(mvp, pr, m);
		D3D11_MAPPED_SUBRESOURCE map;
		TRY(ID3D11DeviceContext_Map(ctx, (ID3D11Resource *)cbuf, 0, D3D11_MAP_WRITE_DISCARD, 0, &map));
		memcpy(map.pData, mvp, 64);
		ID3D11DeviceContext_Unmap(ctx, (ID3D11Resource *)cbuf, 0);
		float grey[] = { 0.2f, 0.2f, 0.25f, 1 };
		D3D11_VIEWPORT vp = { 0, 0, w, h, 0, 1 };
		ID3D11DeviceContext_OMSetRenderTargets(ctx, 1, &rtv, dsv);
		ID3D11DeviceContext_ClearRenderTargetView(ctx, rtv, grey);
		ID3D11DeviceContext_ClearDepthStencilView(ctx, dsv, D3D11_CLEAR_DEPTH, 1, 0);
		ID3D11DeviceContext_RSSetViewports(ctx, 1, &vp);
		ID3D11DeviceContext_RSSetState(ctx, rs);
		ID3D11DeviceContext_IASetInputLayout(ctx, il);
		ID3D11DeviceContext_IASetPrimitiveTopology(ctx, D3D11_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
		ID3D11DeviceContext_IASetVertexBuffers(ctx, 0, 1, &vbuf, &stride, &zero);
		ID3D11DeviceContext_VSSetShader(ctx, vs, 0, 0);
		ID3D11DeviceContext_VSSetConstantBuffers(ctx, 0, 1, &cbuf);
		ID3D11DeviceContext_PSSetShader(ctx, ps, 0, 0);
		ID3D11DeviceContext_PSSetShaderResources(ctx, 0, 1, &srv);
		ID3D11DeviceContext_PSSetSamplers(ctx, 0, 1, &smp);
		ID3D11DeviceContext_Draw(ctx, 36, 0);
		TRY(IDXGISwapChain_Present(swap, 0, 0));
	}
	QueryPerformanceCounter(&t1);
	printf("frames %d wall %.2f ms a frame\n", frames, (t1.QuadPart - t0.QuadPart) * 1e3 / hz.QuadPart / frames);
	fflush(stdout); if (argc > 4) Sleep(atoi(argv[4]));
	ExitProcess(0);
}
