// Package elevated says whether this is a process of Windows with more rights than programs that
// its user starts.
package elevated

// Process says that the process runs with high integrity, as an administrator's does. Variables of
// the environment and what a user's part of the registry (HKCU) names come from programs with fewer
// rights: Vulkan's loader looks at neither in such processes. It is false on other systems.
func Process() bool { return process() }
