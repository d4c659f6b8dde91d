package proof

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Place is code that cites a rule.
type Place struct {
	File     string // below the module's root
	Side     Side
	Line     int
	From, To int    // offsets in the file
	Code     string // without comments and spaces
}

// Places finds the code below root that cites rules, by rule, in the order of files.
// It is, with the rule's number in a comment:
//
//   - the function or variable whose doc comment that is,
//   - the statements, or the element of a list, that stand under the comment up to the
//     next empty line or comment,
//   - what begins on the comment's own line;
//
// and with the number in a string: the element of a list that begins with it, or the
// if statement or case that makes an error with it. Generated files hold no places,
// nor do files that sides doesn't know.
func Places(root string, sides func(file string) (Side, bool)) (map[string][]Place, error) {
	table := map[string][]Place{}
	err := walk(root, false, func(set *token.FileSet, rel string, file *ast.File, src []byte) {
		side, ok := sides(rel)
		if !ok || ast.IsGenerated(file) {
			return
		}
		c := citations{set: set, file: file, found: map[string][][2]token.Pos{}}
		c.comments()
		c.strings()
		for rule, spans := range c.found {
			for _, s := range spans {
				p := Place{File: rel, Side: side, Line: set.Position(s[0]).Line, From: set.Position(s[0]).Offset, To: set.Position(s[1]).Offset}
				p.Code = bare(src[p.From:p.To])
				if !slices.Contains(table[rule], p) {
					table[rule] = append(table[rule], p)
				}
			}
		}
	})
	for _, places := range table {
		slices.SortFunc(places, func(a, b Place) int {
			return cmp.Or(cmp.Compare(a.File, b.File), a.From-b.From, b.To-a.To)
		})
	}
	return table, err
}

// Hash names the code of a rule's places, so that a change of it shows.
func Hash(places []Place) string {
	h := sha256.New()
	for _, p := range places {
		fmt.Fprintf(h, "%v %s\n", p.Side, p.Code)
	}
	return hex.EncodeToString(h.Sum(nil))[:8]
}

// bare is code without comments and spaces.
func bare(src []byte) string {
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile("", -1, len(src)), src, nil, 0)
	var out strings.Builder
	for {
		_, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return out.String()
		case tok == token.SEMICOLON:
			lit = ";"
		case lit == "":
			lit = tok.String()
		}
		out.WriteString(lit)
		out.WriteByte(' ')
	}
}

// parse reads a file for walk.
func parse(root, path string, f func(set *token.FileSet, rel string, file *ast.File, src []byte)) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return err
	}
	f(set, filepath.ToSlash(rel), file, src)
	return nil
}

// citation is one rule, or the first of several; more are those that follow it.
var (
	citation = regexp.MustCompile(`\b(IMG|RAS)-([0-9]{3})\b`)
	more     = regexp.MustCompile(`^(\s*(?:…|\.\.\.?|–|to)\s*|, |,? and |/)(?:(IMG|RAS)-)?([0-9]{3})\b`)
)

// IDs are the rules that a text names: IMG-530, IMG-530…532, IMG-530–532, IMG-530 to
// IMG-532, RAS-345..347, IMG-431, 560, IMG-006 and 007.
func IDs(text string) (ids []string) {
	for text != "" {
		m := citation.FindStringSubmatchIndex(text)
		if m == nil {
			return ids
		}
		prefix := text[m[2]:m[3]]
		n, _ := strconv.Atoi(text[m[4]:m[5]])
		ids = append(ids, fmt.Sprintf("%s-%03d", prefix, n))
		text = text[m[1]:]
		for {
			m := more.FindStringSubmatchIndex(text)
			if m == nil {
				break
			}
			sep := strings.TrimSpace(text[m[2]:m[3]])
			if m[4] >= 0 && text[m[4]:m[5]] != prefix {
				break // of the other catalogue
			}
			last, _ := strconv.Atoi(text[m[6]:m[7]])
			first := last
			if sep != "," && sep != "and" && sep != ", and" && sep != "/" {
				first = n + 1
			}
			for n = first; n <= last; n++ {
				ids = append(ids, fmt.Sprintf("%s-%03d", prefix, n))
			}
			n = last
			text = text[m[1]:]
		}
	}
	return ids
}
