package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
)

// Exit codes.
const (
	exitFew    = 1
	exitUsage  = 2
	exitBroken = 3
)

var errFew = errors.New("the tests noticed too few changes")

func main() { os.Exit(run(os.Args, os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if _, set := os.LookupEnv("FAGUS_THIRD"); !set {
		_ = os.Setenv("FAGUS_THIRD", "all") // a mistake may be seen by any test
	}
	app := &cli.App{
		Name:            "teeth",
		Usage:           "measure whether the tests notice mistakes",
		HideHelpCommand: true,
		Writer:          stdout,
		ErrWriter:       stderr,
		ExitErrHandler:  func(*cli.Context, error) {},
		Commands: []*cli.Command{mistakesCommand(), liveCommand(), {
			Name:  "mutants",
			Usage: "random small changes to the pure core, or to the live networks",
			UsageText: "teeth mutants --count 120\n" +
				"teeth mutants --package ringbuf --count 0    all changes to one package\n" +
				"teeth mutants --package live --count 60      the live networks and their jobs",
			Flags: []cli.Flag{
				&cli.StringSliceFlag{Name: "package", Usage: "change only `PACKAGES`, or \"live\"; default: the whole core"},
				&cli.IntFlag{Name: "count", Value: 120, Usage: "number of changes to try; 0: all"},
				&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "select the changes with `SEED`"},
				&cli.Float64Flag{Name: "least", Value: 90, Usage: "exit with 1 if less than `PERCENT` are killed"},
				&cli.DurationFlag{Name: "timeout", Value: 2 * time.Minute, Usage: "limit for the tests of one package"},
				&cli.StringFlag{Name: "at", Usage: "try only changes at `FILE:LINE`, as printed for a survivor"},
				&cli.Uint64Flag{Name: "memory", Value: 8, Usage: "memory limit of a test in `GIB`"},
				&cli.BoolFlag{Name: "json", Usage: "print one JSON document"},
				&cli.BoolFlag{Name: "markdown", Usage: "print the table in Markdown, as in docs/lab/teeth.md"},
			},
			Action: runMutants,
		}},
	}
	words, err := cmdline.New(app).Arrange(args[1:])
	if err == nil {
		err = app.RunContext(ctx, append(args[:1:1], words...))
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errFew):
		fmt.Fprintln(stderr, "teeth:", err)
		return exitFew
	}
	fmt.Fprintln(stderr, "teeth:", err)
	if errors.As(err, new(*brokenError)) {
		return exitBroken
	}
	return exitUsage
}

func render(t table.Writer, markdown bool) string {
	if markdown {
		return t.RenderMarkdown() + "\n"
	}
	t.SetStyle(table.StyleLight)
	return t.Render() + "\n"
}

// brokenError reports that the tests fail on the unchanged code.
type brokenError struct{ err error }

func (e *brokenError) Error() string { return "the tests fail on the unchanged code: " + e.err.Error() }

func runMutants(c *cli.Context) (err error) {
	packages := c.StringSlice("package")
	if len(packages) == 0 {
		packages = slices.Sorted(maps.Keys(core()))
	}
	if slices.Equal(packages, []string{"live"}) {
		packages = slices.Sorted(maps.Keys(live()))
	}
	for _, pkg := range packages {
		if changed()[pkg] == nil {
			return fmt.Errorf("--package %q: want \"live\", or some of %v", pkg, slices.Sorted(maps.Keys(changed())))
		}
	}
	b, err := newBench(c.Duration("timeout"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	changes, err := sample(b.root, packages, c.Int("count"), c.Uint64("seed"))
	if err != nil {
		return err
	}
	if at := c.String("at"); at != "" {
		changes = slices.DeleteFunc(changes, func(x change) bool { return fmt.Sprintf("%s:%d", x.file, x.line) != at })
	}
	if err := limitMemory(c.Uint64("memory") << 30); err != nil {
		return err
	}
	if err := b.calibrate(c.Context, packages); err != nil {
		return err
	}
	list, err := b.tryAll(c.Context, changes, c.App.ErrWriter)
	if err != nil {
		return err
	}
	err = printList(c, list, func(markdown bool) string {
		return fmt.Sprintf("seed %d\n%s", c.Uint64("seed"), mutantsTable(list, markdown))
	})
	if r := rate(list); err == nil && r < c.Float64("least") {
		err = fmt.Errorf("%w: %.1f %%", errFew, r)
	}
	return err
}

// printList prints a list as JSON, or what text returns, in Markdown or not.
func printList(c *cli.Context, list any, text func(markdown bool) string) error {
	if c.Bool("json") {
		e := json.NewEncoder(c.App.Writer)
		e.SetIndent("", "  ")
		return e.Encode(list)
	}
	_, err := io.WriteString(c.App.Writer, text(c.Bool("markdown")))
	return err
}
