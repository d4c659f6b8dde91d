// Command pumice draws without a GPU: models to pictures, on a pure-Go Vulkan.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitFailure = 1 // the work failed: a bad file, a full disk, …
	exitUsage   = 2 // the command line asks for something that does not exist
)

// usageError is a mistake on the command line.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func main() {
	tightenCollector()
	ctx, stop := untilSignal(context.Background())
	keepPipeErrors()
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run executes one command line and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use:           "pumice",
		Short:         "Vulkan without a GPU, in Go",
		Long:          "pumice renders on a pure-Go implementation of Vulkan: no GPU, no display, and\nthe same bytes on every machine.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          knownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.Version = versionText() // cobra prints it behind the name; a template of our own would link 3 MB
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError{suggestFlag(cmd, err)} })
	root.AddCommand(renderCommand(), infoCommand(), sampleCommand(), rasterCommand(), explainCommand(), diffCommand(), thumbnailsCommand(), framesCommand(), runCommand(), glCommand(), replayCommand(), driverCommand(), shaderCommand(), licensesCommand(), versionCommand(), manCommand())
	root.SetArgs(args)
	out := printer{to: stdout}
	root.SetOut(&out)
	root.SetErr(stderr)

	err := root.ExecuteContext(ctx)
	if err == nil {
		err = out.err
	}
	if err == nil {
		return 0
	}
	if ended := programEnded(0); errors.As(err, &ended) {
		return int(ended)
	}
	var signalled signalError
	if errors.As(context.Cause(ctx), &signalled) {
		fmt.Fprintf(stderr, "pumice: %v\n", signalled)
		return 128 + signalled.number()
	}
	var detailed interface{ Detail() string } // more than a line: places in a source
	if errors.As(err, &detailed) {
		fmt.Fprintf(stderr, "pumice: %s\n", detailed.Detail())
		return exitFailure
	}
	if brokenPipe(out.err) && errors.Is(err, out.err) { // such as head has read enough
		return exitFailure
	}
	fmt.Fprintf(stderr, "pumice: %s\n", strings.TrimPrefix(oneLine(err), "pumice: "))
	var tool *toolchainError
	if errors.As(err, &tool) {
		for _, line := range tool.lastWords() {
			fmt.Fprintf(stderr, "  %s\n", line)
		}
	}
	var usage usageError
	if errors.As(err, &usage) || strings.HasPrefix(err.Error(), "unknown command") {
		return exitUsage
	}
	return exitFailure
}

// usageArgs makes an argument check's error a usage error, and says which argument is too many and what it may have
// been meant for.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if err == nil {
			return nil
		}
		for n := len(args) - 1; n >= 0; n-- {
			if check(cmd, args[:n]) != nil {
				continue
			}
			err = fmt.Errorf("%w: %q is too many", err, args[n])
			if o := cmd.Flags().Lookup("output"); o != nil && !o.Changed {
				err = fmt.Errorf("%w; to write there: -o %s", err, args[n])
			}
			return usageError{err}
		}
		return usageError{fmt.Errorf("%w; usage: %s", err, cmd.UseLine())}
	}
}

// oneLine flattens an error to a single line.
func oneLine(err error) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "\n", "; ")), " ")
}
