package cmdline

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// CompleteName is the hidden command that shells ask for completions. Its arguments, after "--",
// are the words after the program's name. The last word is not finished.
const CompleteName = "__complete"

// Candidate is a word that may stand where a user asks for a completion.
type Candidate struct{ Word, About string }

// Complete returns the words that the last of words may become: names of commands, or of flags. It
// returns none where a file, a value or the line of another program stands.
func (t *Tree) Complete(words []string) (found []Candidate) {
	if len(words) == 0 {
		return nil
	}
	words = joinEquals(words)
	last := words[len(words)-1]
	l := t.read(words[:len(words)-1])
	if l.pending || l.foreign || l.unknown != "" {
		return nil
	}
	add := func(word, about string) {
		if strings.HasPrefix(word, last) {
			found = append(found, Candidate{word, about})
		}
	}
	c := l.command()
	switch {
	case strings.HasPrefix(last, "-"):
		for _, f := range flagsBelow(c) {
			name := flagNames(f.Names())[0]
			if f, ok := f.(cli.DocGenerationFlag); ok && !isHidden(f) && !slices.ContainsFunc(found, func(c Candidate) bool { return c.Word == name }) {
				add(name, plain(f.GetUsage()))
			}
		}
		if !slices.ContainsFunc(found, func(c Candidate) bool { return c.Word == "--help" }) {
			add("--help", "print what the command does and its flags")
		}
	case len(l.rest) == 0:
		for _, sub := range c.VisibleCommands() {
			if !isPath(sub.Name) {
				add(sub.Name, sub.Usage)
			}
		}
	}
	return found
}

// joinEquals joins the words "--flag", "=" and "value", into which bash cuts --flag=value.
func joinEquals(words []string) (joined []string) {
	for _, w := range words {
		n := len(joined)
		switch {
		case n > 0 && w == "=" && isFlag(joined[n-1]):
			joined[n-1] += "="
		case n > 0 && strings.HasSuffix(joined[n-1], "=") && isFlag(joined[n-1]):
			joined[n-1] += w
		default:
			joined = append(joined, w)
		}
	}
	return joined
}

// plain returns a usage text without the marks around the name of the value.
func plain(text string) string { return strings.ReplaceAll(text, "`", "") }

//go:embed shells
var scripts embed.FS

func shells() []string { return []string{"bash", "zsh", "fish"} }

// Completion returns a script that teaches a shell to complete the command lines of the program.
func (t *Tree) Completion(shell string) (string, error) {
	if !slices.Contains(shells(), shell) {
		return "", usage.Errorf("no completion for shell %q: want %s", shell, strings.Join(shells(), ", "))
	}
	text, err := scripts.ReadFile("shells/complete." + shell)
	if err != nil {
		return "", fmt.Errorf("cmdline: %w", err)
	}
	return strings.ReplaceAll(string(text), "PROGRAM", t.root.Name), nil
}
