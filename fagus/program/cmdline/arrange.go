package cmdline

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Tree is the tree of commands of an application.
type Tree struct {
	root   *cli.Command
	passes []string
}

// New returns the tree of app. passes names commands that start another program. Their words from
// the first that is no flag on belong to that program, and stay as they are.
//
// A command with a slash in its name, such as ./PROGRAM, stands for a program that the user names
// by its path: in `tool compare ./digits --nodes 4 -- --numbers 500` or `tool compare --nodes 4 --
// digits --numbers 500`. The tool gets the words before "--", the program those after it. The
// command gets the path and the words of the program as its arguments.
func New(app *cli.App, passes ...string) *Tree {
	return &Tree{&cli.Command{
		Name: app.Name, Usage: app.Usage, UsageText: app.UsageText, ArgsUsage: "COMMAND", Description: app.Description,
		Subcommands: app.Commands, Flags: app.Flags, Action: app.Action,
	}, passes}
}

// line is a command line in parts.
type line struct {
	path    []*cli.Command // from the root to the command
	flags   []flagWords
	rest    []string // the other arguments
	foreign bool     // rest begins with "--", or is of another program
	help    bool
	pending bool // the last flag has no value yet
	unknown string
}

// flagWords are a flag and its value, if the value is a word of its own.
type flagWords struct {
	name  string
	words []string
}

func (l *line) command() *cli.Command { return l.path[len(l.path)-1] }

// text returns the names of the path, as a user types them.
func (l *line) text() string { return pathText(l.path) }

func pathText(path []*cli.Command) string {
	var names []string
	for _, c := range path {
		names = append(names, c.Name)
	}
	return strings.Join(names, " ")
}

// read takes the words of a command line apart. It stops at a flag that no command below has.
func (t *Tree) read(args []string) *line {
	l := &line{path: []*cli.Command{t.root}}
	for len(args) > 0 {
		word, c := args[0], l.command()
		sub := c.Command(word)
		group := len(c.Subcommands) > 0 && len(l.rest) == 0
		own := pathCommand(c)
		switch {
		case group && own != nil && word == "--":
			l.path, l.rest, l.foreign = append(l.path, own), args[1:], true
			return l
		case group && own != nil && isPath(word):
			l.path, l.rest = append(l.path, own), append(l.rest, word)
		case isPath(c.Name) && word == "--":
			if len(l.rest) == 1 { // else check refuses the word before "--"
				l.rest, l.foreign = append(l.rest, args[1:]...), true
			}
			return l
		case word == "--" || t.passesOn(c) && !isFlag(word):
			l.rest, l.foreign = append(l.rest, args...), true
			return l
		case isFlag(word):
			if args = l.readFlag(args); l.unknown != "" {
				return l
			}
			continue
		case word == "help" && (group || c == t.root && len(args) == 1 && len(l.rest) == 0):
			l.help = true
		case group && sub != nil:
			l.path = append(l.path, sub)
		default:
			l.rest = append(l.rest, word)
		}
		args = args[1:]
	}
	return l
}

// readFlag reads the flag at the beginning of args, and returns the words behind it.
func (l *line) readFlag(args []string) []string {
	name, _, inline := strings.Cut(strings.TrimLeft(args[0], "-"), "=")
	if slices.Contains(cli.HelpFlag.Names(), name) {
		l.help = true
		return args[1:]
	}
	f := find(flagsBelow(l.command()), name)
	if f == nil {
		l.unknown = name
		return args
	}
	words := args[:1]
	if !inline && takesValue(f) {
		words = args[:min(2, len(args))]
		l.pending = len(args) == 1
	}
	l.flags = append(l.flags, flagWords{name, words})
	return args[len(words):]
}

// isFlag reports whether a word is a flag. A single dash means standard input, by convention.
func isFlag(word string) bool { return len(word) > 1 && word[0] == '-' }

// isPath reports whether a word names a file by its path.
func isPath(word string) bool {
	return !isFlag(word) && strings.ContainsAny(word, "/"+string(filepath.Separator))
}

// pathCommand returns the command of a group that stands for programs named by path, or nil.
func pathCommand(group *cli.Command) *cli.Command {
	for _, c := range group.Subcommands {
		if isPath(c.Name) {
			return c
		}
	}
	return nil
}

func (t *Tree) passesOn(c *cli.Command) bool { return slices.Contains(t.passes, c.Name) }

// Arrange returns the words of a command line, without the program's name, in the order that
// urfave/cli needs: commands, flags, arguments. The error of a wrong line is of package usage.
func (t *Tree) Arrange(args []string) ([]string, error) {
	l := t.read(args)
	if err := t.check(l); err != nil {
		return nil, err
	}
	var words []string
	for _, c := range l.path[1:] {
		words = append(words, c.Name)
	}
	if l.help {
		return append(words, "--help"), nil
	}
	for _, f := range l.flags {
		words = append(words, f.words...)
	}
	if t.passesOn(l.command()) && l.foreign && l.rest[0] != "--" || isPath(l.command().Name) {
		words = append(words, "--")
	}
	return append(words, l.rest...), nil
}

// check returns an error if a name in l is unknown, the name of a command is missing, or a value is
// no number. It makes the numbers plain.
func (t *Tree) check(l *line) error {
	c, path := l.command(), l.text()
	group := len(c.Subcommands) > 0 && (c.Action == nil || c == t.root)
	switch {
	case group && len(l.rest) > 0:
		return t.noCommand(l, l.rest[0])
	case l.unknown != "":
		return noFlag(l, l.unknown)
	case l.help:
		return nil
	case group && (c != t.root || len(l.flags) == 0):
		return noName(c, path)
	}
	for i := range l.flags {
		f := &l.flags[i]
		if find(c.Flags, f.name) == nil {
			return noFlag(l, f.name)
		}
		if err := f.plain(c); err != nil {
			return usage.Errorf("%w; see '%s --help'", Explain(c, err), path)
		}
	}
	if isPath(c.Name) && !l.foreign && len(l.rest) > 1 {
		return usage.Errorf("unexpected argument %q; %s", l.rest[1], afterDashes(l))
	}
	return nil
}

// afterDashes says where the words of the program go that l names by its path.
func afterDashes(l *line) string {
	return fmt.Sprintf("flags and arguments of %s come after --: %s %[1]s -- ...", l.rest[0], pathText(l.path[:len(l.path)-1]))
}

// noCommand returns the error for a command that group l lacks.
func (t *Tree) noCommand(l *line, name string) error {
	what, hint := strings.ToLower(l.command().ArgsUsage), ""
	if elsewhere := t.named(name); elsewhere != "" {
		hint = "'" + elsewhere + "'"
	} else if near := Nearest(name, commandNames(l.command())); near != "" {
		hint = "'" + l.text() + " " + near + "'"
	}
	if pathCommand(l.command()) != nil {
		hint = join(", or ", hint, "the program ./"+name+" of your own")
	}
	return usage.Errorf("no %s %q; %s '%s --help'", what, name, didYouMean(hint), l.text())
}

// join joins the texts that are not empty.
func join(between string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), between)
}

// noFlag returns the error for a flag that the command of l lacks. Other commands may have it.
func noFlag(l *line, name string) error {
	if c := l.command(); isPath(c.Name) && len(l.rest) > 0 {
		if likely := likelyFlag(c.Flags, name); likely != "" {
			return usage.Errorf("no flag %s; did you mean %s? Else: %s", dashed(name), likely, afterDashes(l))
		}
		return usage.Errorf("no flag %s; %s", dashed(name), afterDashes(l))
	}
	if hint := likelyFlag(flagsBelow(l.command()), name); hint != "" {
		return NoFlag(flagsBelow(l.command()), name, l.text())
	}
	for depth, above := range slices.Backward(l.path[:len(l.path)-1]) {
		for _, c := range above.VisibleCommands() {
			if find(c.Flags, name) != nil {
				hint := fmt.Sprintf(", but '%s %s' has it", pathText(l.path[:depth+1]), c.Name)
				return usage.Errorf("no flag %s%s; see '%s --help'", dashed(name), hint, l.text())
			}
		}
	}
	return NoFlag(nil, name, l.text())
}

// noName returns the error of a group without the name of a command. It lists the names.
func noName(c *cli.Command, path string) error {
	width := 0
	for _, name := range commandNames(c) {
		width = max(width, len(name))
	}
	text := ""
	for _, sub := range c.VisibleCommands() {
		text += "\n   " + sub.Name + strings.Repeat(" ", width-len(sub.Name)+2) + sub.Usage
	}
	return usage.Errorf("which %s? '%s' has:\n%s\n\nsee '%s %s --help'", strings.ToLower(c.ArgsUsage), path, text, path, c.ArgsUsage)
}

// named returns the path of the first visible command of that name, or "".
func (t *Tree) named(name string) (found string) {
	walk([]*cli.Command{t.root}, func(path []*cli.Command) {
		if c := path[len(path)-1]; found == "" && c.Name == name {
			found = pathText(path)
		}
	})
	return found
}

// walk calls visit with path and the path of every visible command below it, each before the
// commands below it.
func walk(path []*cli.Command, visit func([]*cli.Command)) {
	visit(path)
	for _, c := range path[len(path)-1].VisibleCommands() {
		walk(append(slices.Clip(path), c), visit)
	}
}

func commandNames(c *cli.Command) (names []string) {
	for _, sub := range c.VisibleCommands() {
		names = append(names, sub.Name)
	}
	return names
}

// find returns the first flag of a name, or nil.
func find(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

// flagsBelow returns the flags of c and of all commands below it. If two have the same name, both
// take a value or neither does: see Tree.Check.
func flagsBelow(c *cli.Command) []cli.Flag {
	all := slices.Clone(c.Flags)
	for _, sub := range c.Subcommands {
		all = append(all, flagsBelow(sub)...)
	}
	return all
}

func takesValue(f cli.Flag) bool {
	d, ok := f.(cli.DocGenerationFlag)
	return ok && d.TakesValue()
}

func isHidden(f cli.Flag) bool {
	v, ok := f.(cli.VisibleFlag)
	return ok && !v.IsVisible()
}
