package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// knownCommand refuses what is no subcommand, and names the ones that were probably meant.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	text := fmt.Sprintf("unknown command %q for %q", args[0], cmd.CommandPath())
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return usagef("%s", text)
}

// wanted says what values of a flag's type are.
var wanted = map[string]string{
	"int": "a whole number", "float32": "a number", "float64": "a number", "bool": "true or false", "duration": "a time such as 30s or 5m",
}

// suggestFlag says of a value that cannot be what it should be, and adds to the error of an unknown flag the one
// that was probably meant.
func suggestFlag(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		f := invalid.GetFlag()
		if want, ok := wanted[f.Value.Type()]; ok {
			return fmt.Errorf("--%s %q: want %s", f.Name, invalid.GetValue(), want)
		}
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || len(unknown.GetSpecifiedName()) < 2 {
		return err
	}
	name := unknown.GetSpecifiedName()
	best, least := "", max(2, len(name)/3)+1
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		d := editDistance(name, f.Name)
		if strings.HasPrefix(f.Name, name) {
			d = min(d, 1)
		}
		if d < least && !f.Hidden {
			best, least = f.Name, d
		}
	})
	if best == "" {
		return err
	}
	return fmt.Errorf("%w; did you mean --%s?", err, best)
}

// editDistance is how many letters have to be put in, left out or changed.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
