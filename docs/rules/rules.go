// Package rules holds the pages of the rules, for programs that show a rule's text.
// Titles alone are in internal/rules/catalogue.
package rules

import "embed"

// Pages are the files img-….md and ras-….md of this folder.
//
//go:embed img-*.md ras-*.md
var Pages embed.FS
