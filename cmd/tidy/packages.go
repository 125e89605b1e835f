package main

import (
	"fmt"
	"path"
	"strings"
)

// packagesRule requires a package comment. A library has it in doc.go and nowhere else, a command
// in any file.
func packagesRule() rule {
	return rule{"packages", func(t *tree) []breach {
		var breaches []breach
		for _, p := range t.packages {
			if p.library() {
				breaches = append(breaches, libraryComment(p)...)
			} else if len(p.sources()) > 0 {
				breaches = append(breaches, commandComment(p)...)
			}
		}
		return breaches
	}}
}

func libraryComment(p *pkg) []breach {
	const mend = `write one in doc.go: "Package name is ..."`
	var breaches []breach
	found := false
	for _, f := range p.sources() {
		text := f.syntax.Doc.Text()
		switch {
		case f.command() || text == "":
		case path.Base(f.path) != "doc.go":
			breaches = append(breaches, f.breach(f.syntax.Doc.Pos(), "package comment outside doc.go",
				"move it to doc.go, or put an empty line between it and the package clause"))
		case !startsWith(text, "Package "+f.syntax.Name.Name):
			found = true
			breaches = append(breaches, f.breach(f.syntax.Doc.Pos(),
				"package comment does not start with Package "+f.syntax.Name.Name, mend))
		default:
			found = true
		}
	}
	if !found && len(breaches) == 0 {
		f := p.sources()[0]
		breaches = append(breaches, f.breach(f.syntax.Name.Pos(), fmt.Sprintf("package %s has no comment", p.dir), mend))
	}
	return breaches
}

func commandComment(p *pkg) []breach {
	for _, f := range p.sources() {
		if f.syntax.Doc.Text() != "" {
			return nil
		}
	}
	f := p.sources()[0]
	return []breach{f.breach(f.syntax.Name.Pos(), fmt.Sprintf("command %s has no comment", p.dir),
		fmt.Sprintf(`write one: "Command %s ..."`, path.Base(p.dir)))}
}

// startsWith reports whether text starts with the given words, the last of which must be complete.
func startsWith(text, words string) bool {
	rest, ok := strings.CutPrefix(text, words)
	return ok && (rest == "" || !wordy(rest[0]))
}

func wordy(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || c >= 0x80
}
