package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/pumice-gpu/pumice/internal/version"
)

// stamped is the version that internal/release builds, which the linker writes here; "" elsewhere.
var stamped string

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print which version this is",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "pumice version", versionText())
			return err
		},
	}
}

// versionText is what version and --version print.
func versionText() string {
	info, _ := debug.ReadBuildInfo()
	return fmt.Sprintf("%s (Vulkan %s, %s, %s/%s)", versionOf(info, stamped), version.Text(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// versionOf is the release that this was built as, the version of the module, or the revision
// of the checkout.
func versionOf(info *debug.BuildInfo, stamped string) string {
	if stamped != "" || info == nil {
		return stamped
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	revision, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = "-" + s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+dirty"
		}
	}
	return "devel" + revision + dirty
}
