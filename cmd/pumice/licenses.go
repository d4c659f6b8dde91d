package main

import (
	_ "embed"
	"io"

	"github.com/spf13/cobra"
)

//go:generate go run ./_gen

// licenses are the terms of all that the command and the driver link.
//
//go:embed licenses_gen.txt
var licenses string

func licensesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "licenses",
		Short: "Print the licences of what this command and the driver hold of others",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), licenses+"\n")
			return err
		},
	}
}
