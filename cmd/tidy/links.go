package main

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// relativeLink matches a link of Markdown that is no URL and no anchor of the same page.
var relativeLink = regexp.MustCompile(`\]\(([^)\s#:]+)(?:#[^)\s]*)?\)`)

// linksRule reports links of pages that lead nowhere.
func linksRule() rule {
	return rule{"links", func(t *tree) (breaches []breach) {
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
			breaches = append(breaches, deadLinks(t, name, string(page))...)
			return nil
		})
		if err != nil {
			breaches = append(breaches, breach{path: ".", line: 1, what: err.Error(), mend: "tidy reads all pages"})
		}
		return breaches
	}}
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
