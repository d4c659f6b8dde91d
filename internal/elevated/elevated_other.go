//go:build !windows

package elevated

func process() bool { return false }
