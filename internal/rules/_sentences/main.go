// The command _sentences reads chapters of the specification, which are not in this
// repository, and tells which of their sentences have no row in
// docs/rules/sentences-….md, and which rows no sentence:
//
//	go run ./internal/rules/_sentences -chapters FOLDER
//
// Run it in the repository's root. A sentence without a row is printed with its key:
// give it a row on the page, and the two a line in internal/rules/testdata/sentences.txt.
package main

import (
	"flag"
	"fmt"
	"log"

	"github.com/pumice-gpu/pumice/internal/rules"
)

func main() {
	log.SetFlags(0)
	chapters := flag.String("chapters", "", "the folder of the chapters, files NAME.txt")
	list := flag.Bool("list", false, "print all sentences with their keys and rows")
	flag.Parse()
	text, err := rules.ReadChapters(*chapters)
	if err != nil {
		log.Fatal(err)
	}
	rows, err := rules.SentenceRows("docs/rules")
	if err != nil {
		log.Fatal(err)
	}
	keys, err := rules.SentenceKeys("internal/rules/testdata/sentences.txt")
	if err != nil {
		log.Fatal(err)
	}
	if *list {
		for _, s := range text {
			fmt.Printf("%s %s %s\n", s.Key, keys[s.Key], s.Text)
		}
	}
	if err := rules.CheckSentences(rows, keys); err != nil {
		log.Fatal(err)
	}
	if err := rules.CheckChapters(rows, keys, text); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d sentences, %d keys, %d rows\n", len(text), len(keys), len(rows))
}
