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
const maxGlossaryLines = 60

// term is one row of the glossary that bans words.
type term struct {
	name   string
	banned [][]string // each a phrase of lower-case words
}

// glossaryRule checks exported names and package comments against the glossary, the Markdown file
// at path name. Its table has three columns: term, meaning, words that must not be used for the
// term. The rule reports nothing if the file does not exist.
func glossaryRule(name string) rule {
	return rule{"glossary", func(t *tree) []breach {
		text, err := fs.ReadFile(t.fsys, name)
		if err != nil {
			return nil
		}
		terms := glossaryTerms(string(text))
		var breaches []breach
		if n := strings.Count(string(text), "\n"); n > maxGlossaryLines {
			breaches = append(breaches, breach{path: name, line: maxGlossaryLines + 1,
				what: fmt.Sprintf("glossary of %d lines, limit %d", n, maxGlossaryLines), mend: "shorten it"})
		}
		for _, p := range t.packages {
			for _, f := range p.sources() {
				breaches = append(breaches, homeMadeWords(f, terms)...)
			}
		}
		return breaches
	}}
}

// glossaryTerms returns the rows of a three-column Markdown table whose last column is not empty.
func glossaryTerms(text string) []term {
	var terms []term
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || strings.HasPrefix(cells[1], "---") || strings.TrimSpace(cells[3]) == "not" {
			continue
		}
		t := term{name: strings.TrimSpace(cells[1])}
		for phrase := range strings.SplitSeq(cells[3], ",") {
			if words := strings.Fields(strings.ToLower(phrase)); len(words) > 0 {
				t.banned = append(t.banned, words)
			}
		}
		if len(t.banned) > 0 {
			terms = append(terms, t)
		}
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
