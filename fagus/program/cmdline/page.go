package cmdline

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cpuguy83/go-md2man/v2/md2man"
)

// Page returns a page in Markdown about all commands. level is the level of its highest heading.
func (t *Tree) Page(level int) string {
	var b strings.Builder
	for _, e := range t.entries() {
		fmt.Fprintf(&b, "%s %s\n\n%s\n", strings.Repeat("#", min(level+e.depth, 6)), e.path, wrap(sentence(e.usage)+".", pageWidth))
		fmt.Fprintf(&b, "\n    %s\n", strings.Join(e.synopsis, "\n    "))
		if e.description != "" {
			fmt.Fprintf(&b, "\n%s\n", wrap(escape(e.description), pageWidth))
		}
		if len(e.examples) > 0 {
			fmt.Fprintf(&b, "\nExamples:\n\n%s", examplesText("    ", e.examples))
		}
		if len(e.commands) > 0 {
			b.WriteString("\n")
		}
		for _, c := range e.commands {
			path := e.path + " " + c.Name
			b.WriteString(item(fmt.Sprintf("[%s](#%s): %s", path, anchor(path), escape(c.Usage))))
		}
		b.WriteString(lists("Flags", e.flags))
		b.WriteString(lists("Flags of every "+e.path+" command", e.shared))
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String()) + "\n"
}

// lists returns a list of flags for each heading.
func lists(title string, flags []flagEntry) string {
	var b strings.Builder
	for i, f := range flags {
		if i == 0 || f.heading != flags[i-1].heading {
			full := title
			if f.heading != "" {
				full += ", " + f.heading
			}
			fmt.Fprintf(&b, "\n%s:\n\n", full)
		}
		value := ""
		if f.value != "" {
			value = " (`" + f.value + "`)"
		}
		b.WriteString(item(fmt.Sprintf("`%s`%s: %s", f.name, value, escape(f.usage))))
	}
	return b.String()
}

// pageWidth is the width of a page, in characters.
const pageWidth = 100

func item(content string) string {
	return "- " + strings.ReplaceAll(wrap(content, pageWidth-2), "\n", "\n  ") + "\n"
}

// wrap breaks paragraphs, between which are empty lines, into lines of at most width characters.
func wrap(content string, width int) string {
	var paragraphs []string
	for text := range strings.SplitSeq(content, "\n\n") {
		var b strings.Builder
		used := 0
		for i, word := range strings.Fields(text) {
			n := utf8.RuneCountInString(word)
			switch {
			case i == 0:
			case used+1+n > width:
				b.WriteString("\n")
				used = 0
			default:
				b.WriteString(" ")
				used++
			}
			b.WriteString(word)
			used += n
		}
		paragraphs = append(paragraphs, b.String())
	}
	return strings.Join(paragraphs, "\n\n")
}

// examplesText returns the examples, one a line, their remarks in one column where they fit.
func examplesText(indent string, examples []Example) string {
	const most = 60 // longer lines do not push the remarks of others aside
	column := 0
	for _, e := range examples {
		if n := len(e.Line); e.Remark != "" && n <= most {
			column = max(column, n)
		}
	}
	var b strings.Builder
	for _, e := range examples {
		line := e.Line
		if e.Remark != "" {
			line = fmt.Sprintf("%-*s  # %s", column, e.Line, e.Remark)
		}
		fmt.Fprintf(&b, "%s%s\n", indent, line)
	}
	return b.String()
}

// sentence returns a usage text as the beginning of a sentence.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + escape(text[1:])
}

// escape protects the characters that Markdown or HTML would take for marks.
func escape(text string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "<", `\<`, "_", `\_`).Replace(text)
}

// anchor returns the name by which a link reaches a heading.
func anchor(heading string) string {
	return strings.NewReplacer(" ", "-", ".", "", "/", "").Replace(strings.ToLower(heading))
}

// Man returns the manual page of the program, of section 1.
func (t *Tree) Man() string {
	var b strings.Builder
	for i, e := range t.entries() {
		switch i {
		case 0:
			fmt.Fprintf(&b, "%% %s 1\n\n# NAME\n\n%s - %s\n\n# SYNOPSIS\n\n", e.path, e.path, escape(e.usage))
		case 1:
			b.WriteString("# COMMANDS\n\n")
			fallthrough
		default:
			fmt.Fprintf(&b, "### %s\n\n%s.\n\n", e.path, sentence(e.usage))
		}
		fmt.Fprintf(&b, "```\n%s\n```\n\n", strings.Join(e.synopsis, "\n"))
		if i == 0 {
			b.WriteString("# DESCRIPTION\n\n")
		}
		if e.description != "" {
			fmt.Fprintf(&b, "%s\n\n", escape(e.description))
		}
		b.WriteString(terms("", e.flags))
		b.WriteString(terms("Flags of every "+e.path+" command:", e.shared))
		if len(e.examples) > 0 {
			fmt.Fprintf(&b, "Examples:\n\n```\n%s```\n\n", examplesText("", e.examples))
		}
	}
	return string(md2man.Render([]byte(b.String())))
}

// terms returns a list of flags with their meanings.
func terms(title string, flags []flagEntry) string {
	if len(flags) == 0 {
		return ""
	}
	var b strings.Builder
	if title != "" {
		fmt.Fprintf(&b, "%s\n\n", title)
	}
	for _, f := range flags {
		fmt.Fprintf(&b, "**%s**\n: %s", f.name, escape(f.usage))
		if f.value != "" {
			fmt.Fprintf(&b, " (default: %s)", escape(f.value))
		}
		b.WriteString("\n\n")
	}
	return b.String()
}
