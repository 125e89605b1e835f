package cmdline

import (
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// testTree is a small tree with what real trees have: groups, flags that commands share, a command
// that passes words on, and hidden names.
func testTree() *Tree {
	nodes := func() []cli.Flag {
		return []cli.Flag{
			&cli.IntFlag{Name: "nodes", Value: 2, Category: "where", Usage: "number of `NODES`"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.StringFlag{Name: "secret", Hidden: true},
		}
	}
	do := func(*cli.Context) error { return nil }
	return New(&cli.App{
		Name: "tool", Usage: "does things", UsageText: "tool COMMAND",
		Commands: []*cli.Command{
			{Name: "run", Usage: "run a program", UsageText: "tool run PROGRAM [flags]", ArgsUsage: "PROGRAM", Subcommands: []*cli.Command{
				{Name: "sor", Usage: "relax", UsageText: "tool run sor\n\ntool run sor --n 3   small\ntool run sor --nodes 3 | cat", Flags: append(nodes(), &cli.IntFlag{Name: "n", Usage: "`ROWS`"}), Action: do},
				{Name: "tsp", Usage: "travel", UsageText: "tool run tsp\n\ntool run tsp", Flags: append(nodes(), &cli.DurationFlag{Name: "limit"}), Action: do},
				{Name: "lu", Usage: "factor", UsageText: "tool run lu\n\ntool run lu", Flags: nodes(), Action: do},
			}},
			{Name: "launch", Usage: "start", UsageText: "tool launch PROGRAM\n\ntool launch ./a|b", Description: "A < B", Flags: []cli.Flag{&cli.IntFlag{Name: "n", Aliases: []string{"ranks"}}}, Action: do},
			{Name: "try", Usage: "try a program", UsageText: "tool try PROGRAM", ArgsUsage: "PROGRAM", Subcommands: []*cli.Command{
				{Name: "lu", Usage: "factor", UsageText: "tool try lu\n\ntool try lu", Flags: append(nodes(), &cli.IntFlag{Name: "n", Usage: "`ROWS`"}), Action: do},
				{Name: "sor", Usage: "relax", UsageText: "tool try sor\n\ntool try sor", Flags: nodes(), Action: do},
				{Name: "./PROGRAM", Usage: "one's own", UsageText: "tool try ./PROGRAM [flags] [-- WORDS]\n\ntool try ./digits", Flags: append(nodes(), &cli.StringFlag{Name: "sizes", Usage: "`SIZES` to run"}), Action: do},
			}},
			{Name: "probe", Hidden: true, Action: do},
		},
	}, "launch")
}

func TestArrange(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"run sor --n 3", "run sor --n 3"},
		{"run --n 3 sor", "run sor --n 3"},
		{"--n 3 --json run sor --nodes=4", "run sor --n 3 --json --nodes=4"},
		{"run --n=3 sor a b --json", "run sor --n=3 --json a b"},
		{"run --n -3 sor", "run sor --n -3"},
		{"run sor a -- --n b", "run sor a -- --n b"},
		{"run sor - --json", "run sor --json -"},
		{"run sor --n", "run sor --n"},
		{"launch -n 3 ./app --n 5 run", "launch -n 3 -- ./app --n 5 run"},
		{"-n 3 launch -- ./app --help", "launch -n 3 -- ./app --help"},
		{"help", "--help"},
		{"--help", "--help"},
		{"help run sor", "run sor --help"},
		{"run help sor --n 3", "run sor --help"},
		{"run -h", "run --help"},
		{"launch ./app --help", "launch -- ./app --help"},
		{"probe", "probe"},
		{"try lu --n 3", "try lu --n 3"},
		{"try ./digits", "try ./PROGRAM -- ./digits"},
		{"try --nodes 4 ./digits --sizes x=1 -- --n 5 lu -- y", "try ./PROGRAM --nodes 4 --sizes x=1 -- ./digits --n 5 lu -- y"},
		{"try --nodes 4 -- lu --n 5 -- y", "try ./PROGRAM --nodes 4 -- lu --n 5 -- y"},
		{"--nodes 4 try /bin/lu --", "try ./PROGRAM --nodes 4 -- /bin/lu"},
		{"try --", "try ./PROGRAM --"},
		{"try ./digits --help", "try ./PROGRAM --help"},
		{"try ./digits -- --help", "try ./PROGRAM -- ./digits --help"},
		{"help try ./digits", "try ./PROGRAM --help"},
		{"run sor a/b", "run sor a/b"},

		{"try digits", `no program "digits"; did you mean the program ./digits of your own? See 'tool try --help'`},
		{"try so", `no program "so"; did you mean 'tool try sor', or the program ./so of your own? See 'tool try --help'`},
		{"try ./digits 5", `unexpected argument "5"; flags and arguments of ./digits come after --: tool try ./digits -- ...`},
		{"try ./digits 5 -- 6", `unexpected argument "5"; flags and arguments of ./digits come after --: tool try ./digits -- ...`},
		{"try ./digits --frobnicate 5", `no flag --frobnicate; flags and arguments of ./digits come after --: tool try ./digits -- ...`},
		{"try --n 5 ./digits", `no flag -n; flags and arguments of ./digits come after --: tool try ./digits -- ...`},
		{"try ./digits --nods 5", `no flag --nods; did you mean --nodes? Else: flags and arguments of ./digits come after --: tool try ./digits -- ...`},
		{"", "which command? 'tool' has:\n\n   run     run a program\n   launch  start\n   try     try a program\n\nsee 'tool COMMAND --help'"},
		{"run", "which program? 'tool run' has:\n\n   sor  relax\n   tsp  travel\n   lu   factor\n\nsee 'tool run PROGRAM --help'"},
		{"run --n 3", "which program? 'tool run' has:\n\n   sor  relax\n   tsp  travel\n   lu   factor\n\nsee 'tool run PROGRAM --help'"},
		{"walk", `no command "walk"; see 'tool --help'`},
		{"rnu sor", `no command "rnu"; did you mean 'tool run'? See 'tool --help'`},
		{"sor --n 3", `no command "sor"; did you mean 'tool run sor'? See 'tool --help'`},
		{"run sort --n 3", `no program "sort"; did you mean 'tool run sor'? See 'tool run --help'`},
		{"help run sort", `no program "sort"; did you mean 'tool run sor'? See 'tool run --help'`},
		{"run sor --nod 3", `no flag --nod; did you mean --nodes? See 'tool run sor --help'`},
		{"run --nod 3 sor", `no flag --nod; did you mean --nodes? See 'tool run --help'`},
		{"run sort --nod 3", `no program "sort"; did you mean 'tool run sor'? See 'tool run --help'`},
		{"run sor --np=3", `no flag --np; did you mean --nodes? See 'tool run sor --help'`},
		{"run sor --limit 3s", `no flag --limit, but 'tool run tsp' has it; see 'tool run sor --help'`},
		{"run --limit 3s sor", `no flag --limit, but 'tool run tsp' has it; see 'tool run sor --help'`},
		{"run sor --frobnicate", `no flag --frobnicate; see 'tool run sor --help'`},
		{"run sor --secrat 1", `no flag --secrat; see 'tool run sor --help'`},
		{"run sor -x", `no flag -x; see 'tool run sor --help'`},
	} {
		words, err := testTree().Arrange(strings.Fields(c.line))
		got := strings.Join(words, " ")
		if err != nil {
			got = err.Error()
			if !usage.Is(err) {
				t.Errorf("%q: the error is not of package usage", c.line)
			}
		}
		if got != c.want {
			t.Errorf("%q becomes\n%s\nwant\n%s", c.line, got, c.want)
		}
	}
}

func TestComplete(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"", "run launch try"},
		{"r", "run"},
		{"try ", "lu sor"},
		{"try ./d", ""},
		{"try ./digits --s", "--sizes"},
		{"try ./digits -- -", ""},
		{"run ", "sor tsp lu"},
		{"run --n 3 s", "sor"},
		{"run --n = 3 s", "sor"}, // as bash cuts it
		{"run sor --n", "--nodes --n"},
		{"run sor -", "--nodes --json --n --help"},
		{"run --li", "--limit"},
		{"run sor --n ", ""},
		{"run sor --x 3 --n", ""},
		{"launch ./app --", ""},
		{"launch -", "-n --help"},
		{"run sor file", ""},
		{"help run t", "tsp"},
		{"run sor -- -", ""},
	} {
		words := strings.Split(c.line, " ")
		var got []string
		for _, found := range testTree().Complete(words) {
			got = append(got, found.Word)
			if found.About == "" && found.Word != "--limit" && found.Word != "-n" {
				t.Errorf("%q: nothing about %s", c.line, found.Word)
			}
		}
		if want := strings.Fields(c.want); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%q completes to %q, want %q", c.line, got, want)
		}
	}
}

func TestExplain(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"run sor --n ten", `--n "ten": want a whole number`},
		{"run sor --nodes", `--nodes: want a whole number after it`},
		{"run tsp --limit 3", `--limit "3": want a time with its unit, such as 1.5s or 20ms`},
		{"run sor --json=maybe", `--json "maybe": want true or false`},
		{"launch -n x ./app", `-n "x": want a whole number`},
	} {
		app := &cli.App{Name: "tool", Commands: testTree().root.Subcommands, ExitErrHandler: func(*cli.Context, error) {}}
		var visit func(commands []*cli.Command)
		visit = func(commands []*cli.Command) {
			for _, command := range commands {
				command.OnUsageError = func(c *cli.Context, err error, _ bool) error { return Explain(c.Command, err) }
				visit(command.Subcommands)
			}
		}
		visit(app.Commands)
		if err := app.Run(append([]string{"tool"}, strings.Fields(c.line)...)); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.line, err, c.want)
		}
	}
}
