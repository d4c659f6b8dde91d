package main

// environment are the variables that the command and the driver read. docs/driver.md has the same rows.
var environment = [...]struct{ name, what, standard string }{
	{"PUMICE_ENGINE", "native (machine code), vm (portable), or check, which runs both and compares them", "the best there is"},
	{"PUMICE_THREADS", "number of the driver's workers", "all CPUs"},
	{"PUMICE_MEMORY", "device memory that there is at most: a size, such as 2G, or a part of the memory that the process may have, such as 75%", "50%"},
	{"PUMICE_VECTORS", "256 keeps to AVX2 where there is AVX-512", "the widest"},
	{"PUMICE_VERBOSE", "1 prints the broken rules that the driver notices, ten of a kind where it goes on all the same, and the instructions of pipelines that have no machine code", "off"},
	{"PUMICE_DUMP", "spirv,ir,mir,code,perf: every shader as text: its module, its program before and after each pass, what it becomes as machine code, and the bytes of that. perf: the names of machine code go to `/tmp/perf-PID.map`, so that `perf report` tells what is hot", "off"},
	{"PUMICE_API_VERSION", "the newest version of Vulkan that the driver reports, such as 1.2, for programs that stumble over later ones", "1.4"},
	{"PUMICE_WITHOUT", "extensions that the driver does not offer, separated by commas", "none"},
	{"PUMICE_OFFER", "extensions that the driver withholds unless you name them here, separated by commas, or all", "none"},
	{"PUMICE_DEVICE_TYPE", "discrete, integrated or virtual, for programs that want no CPU, such as Chromium", "cpu"},
	{"PUMICE_CONFORMANCE_VERSION", "what programs read in conformanceVersion, such as 1.4.3.2; none: nothing is claimed", "1.4.6.1"},
	{"PUMICE_RATE_SAMPLES", "limits fragment shading rates to fragments of so many samples, 16 to 256", "256"},
	{"PUMICE_LOOP_BUDGET", "how many instructions in loops a batch of invocations may run before it is stopped and the device lost", "none"},
	{"PUMICE_SUBMIT_TIMEOUT", "how long a submission may run before it is stopped and the device lost: seconds, or 10m; 0: any time", "1h"},
	{"PUMICE_DRIVER", "the driver library that pumice run takes", "found or built"},
	{"PUMICE_ISOLATE", "1 runs the driver in a process of its own", "off; on where the C library cannot load Go"},
	{"PUMICE_HELPER", "the helper program that libvulkan_pumice_front.so starts", "pumice-driver beside it, or in the folder pumice there"},
	{"PUMICE_NO_MEMFD", "1 shares memory with the helper through a file in /dev/shm, TMPDIR or /tmp instead of memfd_create", "off"},
	{"NO_COLOR", "explanations without colours, whatever the terminal can", "off"},
}

// places are the files that the command reads and writes beside those that it is given.
var places = [...]struct{ name, what string }{
	{"~/.cache/pumice", "drivers that were built, and their manifests ($XDG_CACHE_HOME/pumice, where that is set)"},
	{"~/.local/share/vulkan/icd.d/pumice_icd.json", "what pumice driver install offers to all programs of a user ($XDG_DATA_HOME, where that is set)"},
	{"/usr/share/vulkan/icd.d/pumice_icd.*.json", "the same of the Debian package"},
	{libraryName, "the driver: beside the command, in ../lib/pumice, or in ../lib and the architecture's name"},
}
