package main

import (
	"fmt"
	"go/ast"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// maxGlossaryLines keeps the glossary short enough to be read.
const maxGlossaryLines = 70

// term is one row of the table of banned words.
type term struct {
	name   string
	banned [][]string // each a phrase of lower-case words
}

// glossaryRule limits the length of the glossary, and checks exported names and package comments
// against a table of the page for authors: see bannedWords. A file that does not exist is empty.
func glossaryRule(glossary, authors string) rule {
	return rule{"glossary", func(t *tree) []breach {
		var breaches []breach
		text, _ := fs.ReadFile(t.fsys, glossary)
		if n := strings.Count(string(text), "\n"); n > maxGlossaryLines {
			breaches = append(breaches, breach{path: glossary, line: maxGlossaryLines + 1,
				what: fmt.Sprintf("glossary of %d lines, limit %d", n, maxGlossaryLines), mend: "shorten it"})
		}
		text, _ = fs.ReadFile(t.fsys, authors)
		terms := bannedWords(string(text))
		for _, p := range t.packages {
			for _, f := range p.sources() {
				breaches = append(breaches, homeMadeWords(f, terms)...)
			}
		}
		return breaches
	}}
}

// bannedHeader is the first line of the table of banned words: terms, and the words that must not
// be used for them.
const bannedHeader = "| term | not |"

// bannedWords returns the rows of the Markdown table with the bannedHeader.
func bannedWords(text string) (terms []term) {
	_, table, _ := strings.Cut(text, bannedHeader+"\n")
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 4 {
			break // the table ends
		}
		if strings.HasPrefix(cells[1], "---") {
			continue
		}
		t := term{name: strings.TrimSpace(cells[1])}
		for phrase := range strings.SplitSeq(cells[2], ",") {
			t.banned = append(t.banned, strings.Fields(strings.ToLower(phrase)))
		}
		terms = append(terms, t)
	}
	return terms
}

// homeMadeWords reports the exported names of f, and its package comment, that use a banned word.
func homeMadeWords(f *file, terms []term) []breach {
	var breaches []breach
	check := func(n ast.Node, what string, words []string) {
		for _, t := range terms {
			for _, phrase := range t.banned {
				if containsPhrase(words, phrase) {
					breaches = append(breaches, f.breach(n.Pos(),
						fmt.Sprintf("%s uses %q", what, strings.Join(phrase, " ")), fmt.Sprintf("the term is %q", t.name)))
				}
			}
		}
	}
	if f.syntax.Doc != nil {
		check(f.syntax.Doc, "the package comment", proseWords(f.syntax.Doc.Text()))
	}
	for _, id := range exportedNames(f.syntax) {
		check(id, id.Name, camelWords(id.Name))
	}
	return breaches
}

// exportedNames returns the exported declarations of a file: functions, methods, types, constants,
// variables, struct fields and interface methods.
func exportedNames(syntax *ast.File) []*ast.Ident {
	var names []*ast.Ident
	add := func(ids ...*ast.Ident) {
		for _, id := range ids {
			if id.IsExported() {
				names = append(names, id)
			}
		}
	}
	ast.Inspect(syntax, func(n ast.Node) bool {
		switch d := n.(type) {
		case *ast.BlockStmt:
			return false // local names
		case *ast.FuncDecl:
			add(d.Name)
		case *ast.TypeSpec:
			add(d.Name)
		case *ast.ValueSpec:
			add(d.Names...)
		case *ast.Field:
			add(d.Names...)
		}
		return true
	})
	return names
}

// containsPhrase reports whether phrase occurs in words, as consecutive words.
func containsPhrase(words, phrase []string) bool {
	for i := range words {
		if len(words)-i >= len(phrase) && slices.Equal(words[i:i+len(phrase)], phrase) {
			return true
		}
	}
	return false
}

var proseWord = regexp.MustCompile(`[\p{L}\p{N}_]+`)

// proseWords returns the words of a text in lower case.
func proseWords(text string) []string {
	return proseWord.FindAllString(strings.ToLower(text), -1)
}

// camelWords splits a mixed-case name into words in lower case: "NewCallWord" into new, call, word.
func camelWords(name string) []string {
	var words []string
	start := 0
	runes := []rune(name)
	for i := 1; i <= len(runes); i++ {
		if i == len(runes) || unicode.IsUpper(runes[i]) && !unicode.IsUpper(runes[i-1]) {
			words = append(words, strings.ToLower(string(runes[start:i])))
			start = i
		}
	}
	return words
}
