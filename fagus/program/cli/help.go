package cli

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Help is the text for --help.
type Help struct {
	Name, About string
	// Usage has the synopsis and examples, without indentation.
	Usage string
	// Flags are the flags, and Declared says of some of them what package flag does not.
	Flags    *flag.FlagSet
	Declared []Flag
	Hidden   func(name string) bool
}

// Print writes the text: first the flags without a category, then those of each category.
func (h *Help) Print(w io.Writer) error {
	of := make(map[string]about)
	var categories []string
	for _, f := range h.Declared {
		a := f.about()
		of[a.name] = a
		if !slices.Contains(categories, a.category) {
			categories = append(categories, a.category)
		}
	}
	title := h.Name
	if h.About != "" {
		title += " - " + h.About
	}
	text := fmt.Sprintf("NAME:\n   %s\n\nUSAGE:\n   %s\n\nFLAGS:\n", title, strings.ReplaceAll(h.Usage, "\n", "\n   "))
	if _, err := io.WriteString(w, strings.ReplaceAll(text, "   \n", "\n")); err != nil {
		return err
	}
	own := []string{line("help, -h", "", "print this text", "")}
	byCategory := make(map[string][]string)
	h.Flags.VisitAll(func(f *flag.Flag) {
		if h.Hidden(f.Name) {
			return
		}
		value, usage := flag.UnquoteUsage(f)
		switch {
		case isBool(f.Value):
			value = ""
		case !strings.Contains(f.Usage, "`"):
			value = "value"
		}
		a, declared := of[f.Name]
		text := line(f.Name, value, usage, defaultOf(f, a.defaultText))
		if declared {
			byCategory[a.category] = append(byCategory[a.category], text)
		} else {
			own = append(own, text)
		}
	})
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprint(table, strings.Join(own, ""))
	for _, c := range categories {
		fmt.Fprintf(table, "\n   %s\n\n%s", c, strings.Join(byCategory[c], ""))
	}
	return table.Flush()
}

func line(name, value, usage, otherwise string) string {
	if value != "" {
		value = " " + value
	}
	return fmt.Sprintf("   --%s%s\t%s%s\n", name, value, usage, otherwise)
}

func defaultOf(f *flag.Flag, text string) string {
	switch {
	case text != "":
	case f.DefValue == "" || isBool(f.Value) && f.DefValue == "false":
		return ""
	default:
		text = f.DefValue
		if _, ok := Kind(f.Value).(string); ok {
			text = fmt.Sprintf("%q", text)
		}
	}
	return " (default: " + text + ")"
}

func isBool(v flag.Value) bool {
	b, ok := v.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// Examples returns command lines, each perhaps with a remark after two spaces, with the remarks in
// one column.
func Examples(lines []string) string {
	const most = 60 // longer lines do not push the remarks of others aside
	column := 0
	for _, line := range lines {
		if command, remark, _ := strings.Cut(line, "  "); remark != "" && len(command) <= most {
			column = max(column, len(command))
		}
	}
	var b strings.Builder
	for _, line := range lines {
		command, remark, _ := strings.Cut(line, "  ")
		if remark = strings.TrimLeft(remark, " "); remark != "" {
			command = fmt.Sprintf("%-*s  # %s", column, command, remark)
		}
		b.WriteString(command + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
