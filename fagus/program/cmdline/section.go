package cmdline

import (
	"fmt"
	"os"
	"strings"
)

// Section compares the named section of the page at path with text, and returns an error that says
// where they differ. If update is set it writes text there instead. The lines <!-- name --> and
// <!-- end name --> enclose the section.
func Section(path, name, text string, update bool) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("cmdline: %w", err)
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end "+name+" -->\n"
	before, rest, began := strings.Cut(string(page), begin)
	old, after, ended := strings.Cut(rest, end)
	switch {
	case !began || !ended:
		return fmt.Errorf("cmdline: %s has no section %q: want the lines %q and %q", path, name, begin, end)
	case update:
		return os.WriteFile(path, []byte(before+begin+text+end+after), 0o666)
	}
	return difference(path, old, text)
}

// difference returns an error that names the first line in which two texts differ.
func difference(path, old, text string) error {
	was, is := strings.Split(old, "\n"), strings.Split(text, "\n")
	for i := range max(len(was), len(is)) {
		a, b := at(was, i), at(is, i)
		if a != b {
			return fmt.Errorf("cmdline: %s is not current: it has %q, the command %q; run the test with -update", path, a, b)
		}
	}
	return nil
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(end)"
}
