package main

import (
	"strings"
	"testing"
)

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

func TestWidthRule(t *testing.T) {
	wide := strings.Repeat("wide ", 21) + "\n"
	pages := source{
		"README.md":                 "# " + wide + "\n| " + wide + "\n    " + wide + "\n```\n" + wide + "```\n" + strings.Repeat("\u00b7", 100) + "\n",
		"docs/reference/gallery.md": wide,
	}
	planted(t, widthRule(), pages)
	pages["docs/a.md"] = "# A\n\n- " + wide + "```\n```\n" + wide
	planted(t, widthRule(), pages, "docs/a.md:3: line of 106 characters, limit 100", "docs/a.md:6: line of 104 characters, limit 100")
}
