// The command _gen writes the catalogue's numbers and titles from its pages, and
// the list of the pages into their README:
//
//	go run ../_gen -docs ../../../docs/rules -out catalogue_gen.go
//
// Run it in internal/rules/catalogue.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"

	"github.com/pumice-gpu/pumice/internal/rules"
)

func main() {
	log.SetFlags(0)
	docs := flag.String("docs", "", "the folder of the pages")
	out := flag.String("out", "", "the Go file to write")
	flag.Parse()
	pages, err := rules.Read(*docs)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*out, []byte(rules.Source(pages)), 0o644); err != nil {
		log.Fatal(err)
	}
	readme := filepath.Join(*docs, "README.md")
	text, err := os.ReadFile(readme)
	if err != nil {
		log.Fatal(err)
	}
	indexed, err := rules.Index(string(text), pages)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(readme, []byte(indexed), 0o644); err != nil {
		log.Fatal(err)
	}
}
