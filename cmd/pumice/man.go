package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manCommand writes the manual pages that releases hold.
func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man FOLDER",
		Short:  "Write the manual pages into a folder",
		Hidden: true,
		Args:   usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return writeManual(args[0], cmd.Root(), cmd.Root())
		},
	}
}

// writeManual writes the page of a command and of those under it.
func writeManual(dir string, root, cmd *cobra.Command) error {
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	if err := replaceInFolder(filepath.Join(dir, name+".1"), bytes.NewReader(manualPage(root, cmd)), 0o644); err != nil {
		return fmt.Errorf("%s: cannot write the manual: %w", dir, cause(err))
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			if err := writeManual(dir, root, sub); err != nil {
				return err
			}
		}
	}
	return nil
}

// manualPage is a command's page in the language of man(7). Its name line is what
// apropos finds.
func manualPage(root, cmd *cobra.Command) []byte {
	var b bytes.Buffer
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`.TH "%s" "1" "" "%s" "Pumice"`, strings.ToUpper(roff(name)), roff(manualSource()))
	line(".nh\n.ad l") // words are not cut: names of files are among them
	line(".SH NAME\n%s \\- %s", roff(name), roff(cmd.Short))
	use := cmd.UseLine()
	if cmd.HasAvailableSubCommands() {
		use = cmd.CommandPath() + " COMMAND [flags]"
	}
	line(".SH SYNOPSIS\n.B %s", roff(use))
	long := cmd.Long
	if long == "" {
		long = cmd.Short + "."
	}
	line(".SH DESCRIPTION\n%s", manualText(long))
	if cmd.HasAvailableSubCommands() {
		line(".SH COMMANDS")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				line(".TP\n\\fB%s\\fR\n%s", roff(sub.Name()), roff(sub.Short))
			}
		}
	}
	if cmd.Example != "" {
		line(".SH EXAMPLES\n%s", manualText(cmd.Example))
	}
	manualFlags(&b, "OPTIONS", cmd.NonInheritedFlags())
	manualFlags(&b, "OPTIONS OF ALL COMMANDS", cmd.InheritedFlags())
	if cmd == root {
		line(".SH EXIT STATUS\n0 where all went well, %d where the work failed, %d where the command line asks for what does not exist. Errors are one line on standard error.", exitFailure, exitUsage)
	}
	if cmd == root || cmd.Name() == "run" {
		line(".SH ENVIRONMENT\nNone of them changes a bit of the results.")
		for _, v := range environment {
			line(".TP\n\\fB%s\\fR\n%s (default: %s)", roff(v.name), roff(v.what), roff(v.standard))
		}
		line(".SH FILES")
		for _, p := range places {
			line(".TP\n\\fI%s\\fR\n%s", roff(p.name), roff(p.what))
		}
	}
	var see []string
	if cmd.HasParent() {
		see = append(see, strings.ReplaceAll(cmd.Parent().CommandPath(), " ", "-"))
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			see = append(see, strings.ReplaceAll(sub.CommandPath(), " ", "-"))
		}
	}
	if len(see) > 0 {
		line(".SH SEE ALSO")
		for i, s := range see {
			end := ","
			if i == len(see)-1 {
				end = ""
			}
			line(`.BR %s (1)%s`, roff(s), end)
		}
	}
	return b.Bytes()
}

func manualSource() string {
	if stamped != "" {
		return "pumice " + stamped
	}
	return "pumice"
}

func manualFlags(b *bytes.Buffer, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		name := `\fB` + roff("--"+f.Name) + `\fR`
		if f.Shorthand != "" {
			name = `\fB` + roff("-"+f.Shorthand) + `\fR, ` + name
		}
		if kind != "" {
			name += ` \fI` + roff(kind) + `\fR`
		}
		switch f.DefValue {
		case "", "0", "false", "[]", "0s":
		default:
			usage += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		fmt.Fprintf(b, ".TP\n%s\n%s\n", name, manualText(usage))
	})
}

// manualText sets paragraphs as they are, and lines that are indented as examples.
func manualText(text string) string {
	var b strings.Builder
	example := false
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		line = strings.TrimRight(line, "\n")
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		if indented != example && line != "" {
			b.WriteString(map[bool]string{true: ".PP\n.nf\n", false: ".fi\n.PP\n"}[indented])
			example = indented
		}
		if line == "" && !example {
			b.WriteString(".PP\n")
			continue
		}
		b.WriteString(roff(line) + "\n")
	}
	if example {
		b.WriteString(".fi\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// roff spells text so that man shows it as it is: backslashes, hyphens that can be copied, and
// no requests at the starts of lines.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
