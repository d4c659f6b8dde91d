package main

// environment are the variables that the command and the driver read, as README.md has them.
var environment = [...]struct{ name, what string }{
	{"PUMICE_ENGINE", "native, vm, or check, which compares the two (default: the best there is)"},
	{"PUMICE_THREADS", "number of workers of the driver (default: all CPUs)"},
	{"PUMICE_VECTORS", "256 keeps to AVX2 where there is AVX-512 (default: the widest)"},
	{"PUMICE_VERBOSE", "1 prints every broken rule that the driver notices"},
	{"PUMICE_DUMP", "spirv,ir: every shader as text, before and after each pass"},
	{"PUMICE_API_VERSION", "the driver reports this version of Vulkan at most, such as 1.2"},
	{"PUMICE_WITHOUT", "extensions that the driver does not offer, names behind commas"},
	{"PUMICE_OFFER", "what the driver offers although it withholds it by default, names behind commas, or all"},
	{"PUMICE_DEVICE_TYPE", "discrete, integrated or virtual, for programs that want no CPU, such as Chromium (default: cpu)"},
	{"PUMICE_CONFORMANCE_VERSION", "what programs read in conformanceVersion (default: none; with pumice run, 1.4.0.0)"},
	{"PUMICE_RATE_SAMPLES", "limits fragment shading rates to fragments of so many samples, 16 to 256 (default: 16)"},
	{"PUMICE_LOOP_BUDGET", "after so many instructions in loops a batch of invocations is stopped and the device lost (default: 2^27)"},
	{"PUMICE_SUBMIT_TIMEOUT", "how long a submission may run: seconds, or 10m; 0: any time (default: 1h)"},
	{"PUMICE_DRIVER", "the driver library that pumice run takes (default: found or built)"},
	{"NO_COLOR", "explanations without colours, whatever the terminal can"},
}

// places are the files that the command reads and writes beside those that it is given.
var places = [...]struct{ name, what string }{
	{"~/.cache/pumice", "drivers that were built, and their manifests ($XDG_CACHE_HOME/pumice, where that is set)"},
	{"~/.local/share/vulkan/icd.d/pumice_icd.json", "what pumice driver install offers to all programs of a user ($XDG_DATA_HOME, where that is set)"},
	{"/usr/share/vulkan/icd.d/pumice_icd.*.json", "the same of the Debian package"},
	{libraryName, "the driver: beside the command, in ../lib/pumice, or in ../lib and the architecture's name"},
}
