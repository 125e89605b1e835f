package main

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

// relativeLink matches a link of Markdown that is no URL and no anchor of the same page.
var relativeLink = regexp.MustCompile(`\]\(([^)\s#:]+)(?:#[^)\s]*)?\)`)

// linksRule reports links of pages that lead nowhere.
func linksRule() rule { return pagesRule("links", deadLinks) }

// widthRule reports long lines of pages, outside tables, headings and code.
func widthRule() rule { return pagesRule("width", wideLines) }

// pagesRule returns a rule of all pages in Markdown.
func pagesRule(name string, check func(t *tree, name, page string) []breach) rule {
	return rule{name, func(t *tree) (breaches []breach) {
		err := fs.WalkDir(t.fsys, ".", func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || name != "." && strings.HasPrefix(d.Name(), ".")):
				return fs.SkipDir
			case d.IsDir() || path.Ext(name) != ".md":
				return nil
			}
			page, err := fs.ReadFile(t.fsys, name)
			if err != nil {
				return err
			}
			breaches = append(breaches, check(t, name, string(page))...)
			return nil
		})
		if err != nil {
			breaches = append(breaches, breach{path: ".", line: 1, what: err.Error(), mend: "tidy reads all pages"})
		}
		return breaches
	}}
}

// generated reports whether a page is what a program has printed: a test compares it.
func generated(name string) bool {
	switch name {
	case "docs/reference/gallery.md", "docs/reference/mistakes.md", "docs/reference/misuse.md", "docs/guide/modes.md", "docs/lab/polybench.md":
		return true
	}
	return false
}

func wideLines(_ *tree, name, page string) (breaches []breach) {
	const most = 100 // characters, as in comments
	number, code := 0, false
	for line := range strings.Lines(page) {
		number++
		code = code != strings.HasPrefix(line, "```")
		if code || generated(name) || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "<") || strings.HasPrefix(line, "    ") {
			continue
		}
		if n := utf8.RuneCountInString(strings.TrimSpace(line)); n > most {
			breaches = append(breaches, breach{path: name, line: number, what: fmt.Sprintf("line of %d characters, limit %d", n, most), mend: "wrap it"})
		}
	}
	return breaches
}

func deadLinks(t *tree, name, page string) (breaches []breach) {
	number := 0
	for line := range strings.Lines(page) {
		number++
		for _, link := range relativeLink.FindAllStringSubmatch(line, -1) {
			to := path.Join(path.Dir(name), link[1])
			if !exists(t.fsys, to) {
				breaches = append(breaches, breach{path: name, line: number, what: fmt.Sprintf("link to %s, which does not exist", to), mend: "correct the link"})
			}
		}
	}
	return breaches
}
