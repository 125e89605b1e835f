package cmdline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// entry is what a page says about one command.
type entry struct {
	path        string
	usage       string
	synopsis    []string
	examples    []Example
	description string
	flags       []flagEntry
	shared      []flagEntry    // of all commands below this one, which do not list them again
	commands    []*cli.Command // directly below
	depth       int
}

// Example is a command line that a help text shows.
type Example struct{ Line, Remark string }

// flagEntry is what a page says about a flag.
type flagEntry struct {
	heading string
	name    string // as a user types it, with a name for its value
	usage   string
	value   string // the default, or ""
}

// remark matches the space between an example and the remark behind it.
var remark = regexp.MustCompile(`\S(\s{2,})\S`)

// Align returns a usage text whose remarks are comments of a shell, in one column, so that a user
// can paste a line as it is.
func Align(text string) string {
	synopsis, examples := parseUsage(text)
	if text = strings.Join(synopsis, "\n"); len(examples) > 0 {
		text += "\n\n" + examplesText("", examples)
	}
	return strings.TrimRight(text, "\n")
}

// parseUsage takes a usage text apart: lines of synopsis, an empty line, and examples.
func parseUsage(text string) (synopsis []string, examples []Example) {
	head, tail, _ := strings.Cut(strings.TrimSpace(text), "\n\n")
	synopsis = strings.Split(head, "\n")
	for line := range strings.Lines(tail) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		e := Example{Line: line}
		if at := remark.FindStringSubmatchIndex(line); at != nil {
			e = Example{line[:at[2]], strings.TrimPrefix(line[at[3]:], "# ")}
		}
		examples = append(examples, e)
	}
	return synopsis, examples
}

// entries returns what to print about all visible commands, in the order of the tree.
func (t *Tree) entries() (all []entry) {
	shared := map[string][]flagEntry{} // flags of a group, by the path of the group
	walk([]*cli.Command{t.root}, func(path []*cli.Command) {
		c := path[len(path)-1]
		e := entry{path: pathText(path), usage: c.Usage, description: c.Description, depth: len(path) - 1}
		e.synopsis, e.examples = parseUsage(c.UsageText)
		e.commands = c.VisibleCommands()
		if len(path) > 1 && len(e.commands) > 2 {
			e.shared = sharedFlags(c)
		}
		shared[e.path] = e.shared
		above := shared[pathText(path[:len(path)-1])]
		for _, f := range flagEntries(c) {
			if !slices.Contains(above, f) && !slices.Contains(e.shared, f) {
				e.flags = append(e.flags, f)
			}
		}
		all = append(all, e)
	})
	return all
}

// sharedFlags returns the flags that all commands directly below c have, with the same texts. The
// pathCommand of c may lack some, or have others.
func sharedFlags(c *cli.Command) (shared []flagEntry) {
	for i, sub := range slices.DeleteFunc(c.VisibleCommands(), func(c *cli.Command) bool { return isPath(c.Name) }) {
		flags := flagEntries(sub)
		if i == 0 {
			shared = flags
			continue
		}
		shared = slices.DeleteFunc(shared, func(f flagEntry) bool { return !slices.Contains(flags, f) })
	}
	return shared
}

// flagEntries returns the visible flags of c, under their headings.
func flagEntries(c *cli.Command) (all []flagEntry) {
	var headings []string
	for _, f := range c.Flags {
		d, ok := f.(cli.DocGenerationFlag)
		if !ok || isHidden(f) || slices.Contains(f.Names(), "help") {
			continue
		}
		e := describe(d, f.Names())
		if g, ok := f.(cli.CategorizableFlag); ok {
			e.heading = g.GetCategory()
		}
		if !slices.Contains(headings, e.heading) {
			headings = append(headings, e.heading)
		}
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(a, b flagEntry) int {
		return slices.Index(headings, a.heading) - slices.Index(headings, b.heading)
	})
	return all
}

// placeholder matches the name of a flag's value in its usage text.
var placeholder = regexp.MustCompile("`([^`]*)`")

func describe(d cli.DocGenerationFlag, names []string) flagEntry {
	e := flagEntry{name: strings.Join(flagNames(names), ", "), usage: plain(d.GetUsage())}
	if !d.TakesValue() {
		return e
	}
	name := "VALUE"
	if m := placeholder.FindStringSubmatch(d.GetUsage()); m != nil {
		name = m[1]
	}
	e.name += " " + name
	if e.value = d.GetDefaultText(); e.value == "" {
		e.value = d.GetValue()
	}
	e.value = strings.Trim(e.value, `"`)
	return e
}

// Examples returns all examples of the tree, in order.
func (t *Tree) Examples() (all []Example) {
	for _, e := range t.entries() {
		all = append(all, e.examples...)
	}
	return all
}

// Check returns an error if a command cannot be documented, or its flags contradict others.
func (t *Tree) Check() error {
	for _, e := range t.entries() {
		if !strings.HasPrefix(e.synopsis[0]+" ", e.path+" ") {
			return fmt.Errorf("cmdline: the usage text of %q does not begin with its synopsis: %q", e.path, e.synopsis[0])
		}
		hasExample := slices.ContainsFunc(t.Examples(), func(x Example) bool { return strings.Contains(x.Line+" ", e.path+" ") })
		if e.usage == "" || !hasExample && !isPath(e.path[strings.LastIndexByte(e.path, ' ')+1:]) {
			return fmt.Errorf("cmdline: %q has no usage, or no example", e.path)
		}
	}
	takes := map[string]bool{}
	for _, f := range flagsBelow(t.root) {
		for _, name := range f.Names() {
			if value, known := takes[name]; known && value != takesValue(f) {
				return fmt.Errorf("cmdline: one flag %s takes a value, and another does not", dashed(name))
			}
			takes[name] = takesValue(f)
		}
	}
	return nil
}
