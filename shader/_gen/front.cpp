// The door of the sandboxed GLSL compiler: what package shader calls of glslang.
// glslang.sh compiles it with glslang to WebAssembly.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "SPIRV/GlslangToSpv.h"
#include "glslang/Public/ResourceLimits.h"
#include "glslang/OSDependent/osinclude.h"
#include "glslang/Public/ShaderLang.h"

#define EXPORT(name) extern "C" __attribute__((export_name(name)))
#define IMPORT(name) extern "C" __attribute__((import_module("host"), import_name(name)))

// host_include asks the host for an included file. It returns its bytes, from malloc, and
// their number in length, or null where there is none.
IMPORT("include") char* host_include(const char* name, const char* from, int local, int depth, uint32_t* length);

// Each function begins with a call of __sanitizer_cov_trace_pc (-fsanitize-coverage). Every so many of
// them the host is asked, who may end the instance there: so a context can end any compilation. wazero's own
// checks, in every function and loop, would make it five times slower.
IMPORT("tick") void host_tick();
static uint32_t calls;
extern "C" __attribute__((no_sanitize("coverage"))) void __sanitizer_cov_trace_pc()
{
    const uint32_t often = 1 << 18;
    if (++calls == often) {
        calls = 0;
        host_tick();
    }
}

// There is one thread, so what it keeps for itself are plain variables.
namespace glslang {
static void* slots[16];
static uintptr_t used;
OS_TLSIndex OS_AllocTLSIndex() { return used < 15 ? (OS_TLSIndex)++used : OS_INVALID_TLS_INDEX; }
bool OS_SetTLSValue(OS_TLSIndex i, void* v) { slots[(uintptr_t)i] = v; return true; }
bool OS_FreeTLSIndex(OS_TLSIndex) { return true; }
void* OS_GetTLSValue(OS_TLSIndex i) { return slots[(uintptr_t)i]; }
void InitGlobalLock() {}
void GetGlobalLock() {}
void ReleaseGlobalLock() {}
void OS_DumpMemoryCounters() {}
} // namespace glslang

namespace {

std::vector<unsigned int> code;
std::string messages;

class HostIncluder : public glslang::TShader::Includer {
public:
    IncludeResult* includeLocal(const char* name, const char* from, size_t depth) override { return include(name, from, 1, depth); }
    IncludeResult* includeSystem(const char* name, const char* from, size_t depth) override { return include(name, from, 0, depth); }
    void releaseInclude(IncludeResult* r) override
    {
        if (r) {
            free(r->userData);
            delete r;
        }
    }

private:
    IncludeResult* include(const char* name, const char* from, int local, size_t depth)
    {
        uint32_t length = 0;
        char* data = host_include(name, from, local, (int)depth, &length);
        return data ? new IncludeResult(name, data, length, data) : nullptr;
    }
};

void add(const char* log)
{
    if (log && *log)
        messages += log;
}

} // namespace

EXPORT("alloc") void* alloc(uint32_t n) { return malloc(n); }
EXPORT("release") void release(void* p) { free(p); }
EXPORT("code") unsigned int* code_data() { return code.data(); }
EXPORT("code_words") uint32_t code_words() { return (uint32_t)code.size(); }
EXPORT("messages") const char* messages_data() { return messages.data(); }
EXPORT("messages_bytes") uint32_t messages_bytes() { return (uint32_t)messages.size(); }

// compile translates a source. Its strings end with a zero byte. stage is an EShLanguage, vulkan the
// minor version of Vulkan 1, spirv that of SPIR-V 1; entry is the name that the entry point gets.
// It returns 1 where code() is the module; messages() holds warnings, or what is wrong.
EXPORT("compile")
int compile(const char* source, const char* name, const char* preamble, const char* entry, int stage, int vulkan, int spirv, int debug)
{
    using namespace glslang;
    static bool ready = InitializeProcess();
    code.clear();
    messages.clear();
    if (!ready)
        return 0;

    const auto language = (EShLanguage)stage;
    auto flags = (EShMessages)(EShMsgSpvRules | EShMsgVulkanRules | (debug ? EShMsgDebugInfo : 0));
    TShader shader(language);
    shader.setStringsWithLengthsAndNames(&source, nullptr, &name, 1);
    shader.setPreamble(preamble);
    shader.setEntryPoint(entry);
    shader.setSourceEntryPoint("main");
    shader.setEnvInput(EShSourceGlsl, language, EShClientVulkan, 100);
    shader.setEnvClient(EShClientVulkan, (EShTargetClientVersion)((1 << 22) | (vulkan << 12)));
    shader.setEnvTarget(EShTargetSpv, (EShTargetLanguageVersion)((1 << 16) | (spirv << 8)));

    HostIncluder includer;
    if (!shader.parse(GetDefaultResources(), 110, false, flags, includer)) {
        add(shader.getInfoLog());
        return 0;
    }
    add(shader.getInfoLog());

    TProgram program;
    program.addShader(&shader);
    if (!program.link(flags) || !program.mapIO()) {
        add(program.getInfoLog());
        return 0;
    }
    add(program.getInfoLog());

    TIntermediate* tree = program.getIntermediate(language);
    if (!tree)
        return 0;
    SpvOptions options;
    options.disableOptimizer = true;
    options.validate = false;
    options.generateDebugInfo = debug; // parsing has kept the source
    spv::SpvBuildLogger logger;
    GlslangToSpv(*tree, code, &logger, &options);
    add(logger.getAllMessages().c_str());
    return !code.empty();
}
