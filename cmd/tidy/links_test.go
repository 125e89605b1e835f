package main

import "testing"

func TestLinksRule(t *testing.T) {
	pages := source{
		"README.md":       "# A\n\n[b](docs/b.md), [c](docs/b.md#part), [d](#here), [e](https://e.org/f.md), [f](docs)\n",
		"docs/b.md":       "[a](../README.md)\n",
		"x/testdata/t.md": "[gone](gone.md)\n",
	}
	planted(t, linksRule(), pages)
	pages["docs/b.md"] = "[a](README.md)\n\nx [c](../docs/c.md#d) and [b](b.md)\n"
	planted(t, linksRule(), pages,
		"docs/b.md:1: link to docs/README.md, which does not exist", "docs/b.md:3: link to docs/c.md, which does not exist")
}
