package cmdline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

const runPage = `## tool run

Run a program.

    tool run PROGRAM [flags]

- [tool run sor](#tool-run-sor): relax
- [tool run tsp](#tool-run-tsp): travel
- [tool run lu](#tool-run-lu): factor

Flags of every tool run command, where:

- ` + "`--nodes NODES` (`2`" + `): number of NODES

Flags of every tool run command:

- ` + "`--json`" + `: print JSON

### tool run sor

Relax.

    tool run sor

Examples:

    tool run sor --n 3  # small
    tool run sor --nodes 3 | cat

Flags:

- ` + "`--n ROWS` (`0`" + `): ROWS

### tool run tsp
`

const tryPage = `- [tool try lu](#tool-try-lu): factor
- [tool try sor](#tool-try-sor): relax
- [tool try ./PROGRAM](#tool-try-program): one's own
`

const ownPage = `### tool try ./PROGRAM

One's own.

    tool try ./PROGRAM [flags] [-- WORDS]

Examples:

    tool try ./digits

Flags:

- ` + "`--sizes SIZES`" + `: SIZES to run
`

func TestTreePage(t *testing.T) {
	page := testTree().Page(1)
	if !strings.HasPrefix(page, "# tool\n\nDoes things.\n\n    tool COMMAND\n") {
		t.Errorf("the page begins with\n%s", page)
	}
	for _, want := range []string{runPage, tryPage, ownPage} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not contain\n%s\nIt is\n%s", want, page)
		}
	}
	if !strings.Contains(page, `A \< B`) || strings.Contains(page, "probe") || strings.Contains(page, "secret") {
		t.Errorf("the page has hidden names, or marks of HTML:\n%s", page)
	}
}

func TestMan(t *testing.T) {
	man := testTree().Man()
	for _, want := range []string{".SH NAME\ntool \\- does things", ".SH COMMANDS", ".SS tool run sor\n", `\fB--nodes NODES\fP`, "number of NODES (default: 2)", "tool run sor --n 3  # small", "A < B"} {
		if !strings.Contains(man, want) {
			t.Errorf("the manual page has no %q:\n%s", want, man)
		}
	}
}

func TestAlign(t *testing.T) {
	const want = "tool [flags]\n\ntool --json    # a document\ntool --n 1000  # many\ntool plain"
	for _, text := range []string{"tool [flags]\n\ntool --json  a document\ntool --n 1000     many\n\ntool plain\n", want} {
		if got := Align(text); got != want {
			t.Errorf("%q becomes\n%s\nwant\n%s", text, got, want)
		}
	}
	if got := Align("tool"); got != "tool" {
		t.Errorf("a synopsis becomes %q", got)
	}
}

func TestCheckTree(t *testing.T) {
	if err := testTree().Check(); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		spoil func(sor *cli.Command)
		want  string
	}{
		{func(c *cli.Command) { c.UsageText = "fagus sor" }, "does not begin with its synopsis"},
		{func(c *cli.Command) { c.UsageText = "tool run sor" }, "no example"},
		{func(c *cli.Command) { c.Usage = "" }, "has no usage"},
		{func(c *cli.Command) { c.Flags = []cli.Flag{&cli.BoolFlag{Name: "limit"}} }, "one flag --limit takes a value, and another does not"},
	} {
		tree := testTree()
		c.spoil(tree.root.Command("run").Command("sor"))
		if err := tree.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

func TestSection(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(path, []byte("a\n<!-- x -->\nold\nlines\n<!-- end x -->\nb\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Section(path, "x", "old\nwords\n", false); err == nil || !strings.Contains(err.Error(), `it has "lines", the command "words"`) {
		t.Errorf("a section that is not current: %v", err)
	}
	if err := Section(path, "y", "", true); err == nil || !strings.Contains(err.Error(), `no section "y"`) {
		t.Errorf("a section that is missing: %v", err)
	}
	if err := Section(path, "x", "new\n", true); err != nil {
		t.Fatal(err)
	}
	if err := Section(path, "x", "new\n", false); err != nil {
		t.Error(err)
	}
	if page, err := os.ReadFile(path); err != nil || string(page) != "a\n<!-- x -->\nnew\n<!-- end x -->\nb\n" {
		t.Errorf("the page is %q, %v", page, err)
	}
}
