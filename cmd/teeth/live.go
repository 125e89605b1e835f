package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"
)

//go:embed live.toml
var liveTOML string

func liveMistakes() ([]mistake, error) { return parseMistakes("live.toml", liveTOML) }

// liveTested lists the packages whose tests may find a mistake of live.toml.
func liveTested() []string {
	return []string{
		"./dimmnet/live/...", "./dimmnet/porttest", "./dimmnet/lib/...", "./phase/...", "./consistency/...", "./fagus", "./fagus/recording", "./fagus/replay", "./fagus/rollcall", "./fagus/meter", "./fagus/metrics", "./fagus/locks",
		"./fagus/threaded", "./fagus/trace/...", "./fagus/checkpoint/...", "./fagus/cluster/...", "./fagus/program/...", "./fagus/parts", "./fagus/region", "./cmd/fagusc/...", "./cmd/fagus/internal/travel", "./cmd/fagus/internal/top",
	}
}

// noticed is the outcome of one mistake of live.toml.
type noticed struct {
	Name    string  `json:"name"`
	File    string  `json:"file"`
	Found   bool    `json:"found"`
	Package string  `json:"package,omitempty"` // the package whose tests found the mistake
	Test    string  `json:"test,omitempty"`    // the first test that failed
	Seconds float64 `json:"seconds"`
}

// liveBench tries mistakes of live.toml, several at a time.
type liveBench struct {
	*bench
	flags     []string            // of go test
	own       bool                // only tests near the mistake run: see packages
	tested    map[string]bool     // the packages of liveTested that have tests
	importers map[string][]string // by package: the tested packages that import it
}

func newLiveBench(ctx context.Context, b *bench, flags []string) (*liveBench, error) {
	l := &liveBench{bench: b, flags: flags, tested: make(map[string]bool), importers: make(map[string][]string)}
	const format = `{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{range .Imports}} {{.}}{{end}}{{range .TestImports}} {{.}}{{end}}{{range .XTestImports}} {{.}}{{end}}{{end}}`
	out, err := b.run(ctx, append([]string{"list", "-f", format}, liveTested()...)...)
	if err != nil {
		return nil, err
	}
	module, err := b.run(ctx, "list", "-m")
	if err != nil {
		return nil, err
	}
	prefix := strings.TrimSpace(string(module)) + "/"
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		tested := strings.TrimPrefix(words[0], prefix)
		l.tested[tested] = true
		for _, imported := range words[1:] {
			pkg, own := strings.CutPrefix(imported, prefix)
			if own && pkg != tested && !slices.Contains(l.importers[pkg], tested) {
				l.importers[pkg] = append(l.importers[pkg], tested)
			}
		}
	}
	return l, nil
}

// fabric is the package that needs libfabric.
const fabric = "dimmnet/live/ofi"

// tagsOf returns the flags with which a package is built.
func tagsOf(pkg string) []string {
	if pkg == fabric {
		return []string{"-tags=ofi"}
	}
	return nil
}

// packages returns the packages whose tests may find a mistake in pkg: pkg itself comes first. With
// own these are pkg and, where only some packages may import it, its importers. Who uses a package
// uses the packages in its folder.
func (l *liveBench) packages(pkg string) (all []string) {
	if l.tested[pkg] {
		all = append(all, pkg)
	}
	within, _, internal := strings.Cut(pkg, "/internal/")
	for _, importer := range l.importers[pkg] {
		above := strings.HasPrefix(pkg, importer+"/")
		if !l.own || above || internal && strings.HasPrefix(importer, within+"/internal/") {
			all = append(all, importer)
		}
		if above && !l.own {
			all = append(all, l.importers[importer]...)
		}
	}
	return slices.Compact(all)
}

// check runs the tests of all packages that try needs, without a mistake.
func (l *liveBench) check(ctx context.Context, all []mistake) error {
	for _, tagged := range []bool{false, true} {
		var named, tags []string
		for _, m := range all {
			pkg := path.Dir(m.File)
			if (tagsOf(pkg) != nil) != tagged {
				continue
			}
			tags = tagsOf(pkg)
			for _, pkg := range l.packages(pkg) {
				if !slices.Contains(named, "./"+pkg) {
					named = append(named, "./"+pkg)
				}
			}
		}
		if named == nil {
			continue
		}
		if _, err := l.run(ctx, slices.Concat([]string{"test", "-vet=off"}, l.flags, tags, named)...); err != nil {
			return &brokenError{err}
		}
	}
	return nil
}

// try plants m and runs tests until one fails.
func (l *liveBench) try(ctx context.Context, m *mistake) (got noticed, err error) {
	got = noticed{Name: m.Name, File: m.File}
	source, err := m.plant(l.root)
	if err != nil {
		return got, err
	}
	one := &bench{root: l.root}
	if one.dir, err = os.MkdirTemp(l.dir, "mistake-*"); err != nil {
		return got, err
	}
	flag, err := one.overlay(m.File, source)
	if err != nil {
		return got, err
	}
	pkg := path.Dir(m.File)
	tags := tagsOf(pkg)
	if _, err := one.run(ctx, slices.Concat([]string{"build", flag}, tags, []string{"./" + pkg})...); err != nil {
		return got, fmt.Errorf("%s: %w", m.Name, err)
	}
	for _, tested := range l.packages(pkg) {
		args := slices.Concat([]string{"test", flag, "-failfast", "-vet=off", "-count=1"}, l.flags, tags)
		all := [][]string{append(args, "./"+tested)}
		if tested == pkg && tags == nil && (strings.HasPrefix(pkg, "dimmnet/live/") || pkg == "fagus/locks") {
			all = append(all, []string{"test", flag, "-failfast", "-vet=off", "-count=1", "-short", "-timeout", "2m", "-tags", "fagusdelay", "-run", delayed, "./" + pkg})
		}
		for _, args := range all {
			begun := time.Now()
			out, err := one.run(ctx, args...)
			if ctx.Err() != nil {
				return got, ctx.Err()
			}
			got.Seconds += time.Since(begun).Seconds()
			if err != nil {
				got.Found, got.Package, got.Test = true, tested, firstFailing(string(out))
				return got, nil
			}
		}
	}
	return got, nil
}

// delayed matches the tests that CI also runs with delays between the steps of waiting, of those
// that are quick.
const delayed = "^(TestExplore.*|TestWakeStorm)$"

var (
	failedTest  = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	hangingTest = regexp.MustCompile(`(?m)^panic: test timed out[^\n]*\n(?:\s*running tests:\n\s*(\S+))?`)
	crash       = regexp.MustCompile(`(?m)^(panic: .*|fatal error: .*|goleak: .*|signal: .*)$`)
)

// firstFailing returns the first test that has failed, according to the output of go test.
func firstFailing(out string) string {
	hang := hangingTest.FindStringSubmatchIndex(out)
	failed := failedTest.FindAllStringSubmatch(out, -1)
	switch {
	case len(failed) > 0:
		// A subtest follows the test that it is a part of, and says more.
		name := failed[0][1]
		for _, f := range failed[1:] {
			if strings.HasPrefix(f[1], name+"/") {
				name = f[1]
			}
		}
		return name
	case hang != nil && hang[2] >= 0:
		return out[hang[2]:hang[3]] + " (hangs)"
	case hang != nil:
		return "(hangs)"
	}
	if line := crash.FindString(out); line != "" {
		return line[:min(len(line), 60)]
	}
	return "(no test fails, but the process does)"
}

func (l *liveBench) tryAll(ctx context.Context, all []mistake, jobs int, progress io.Writer) ([]noticed, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	list := make([]noticed, len(all))
	next := make(chan int)
	var mu sync.Mutex // guards progress
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for i := range next {
				got, err := l.try(ctx, &all[i])
				if err == nil {
					mu.Lock()
					_, err = fmt.Fprintf(progress, "%s: found %t by %s %s after %.1f s\n", got.Name, got.Found, got.Package, got.Test, got.Seconds)
					mu.Unlock()
				}
				if list[i] = got; err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range all {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	return list, context.Cause(ctx)
}

func liveCommand() *cli.Command {
	return &cli.Command{
		Name:      "live",
		Usage:     "planted mistakes in what the swarm does not reach against the tests: live networks, jobs, checkpoints, locks, the compiler",
		UsageText: "teeth live\nteeth live --only stream: --race\nteeth live --full --jobs 2 --markdown",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "only", Usage: "try only mistakes with `TEXT` in their names"},
			&cli.BoolFlag{Name: "full", Usage: "run all tests, not only the short ones"},
			&cli.BoolFlag{Name: "own", Usage: "run only the tests of the package with the mistake, not those of packages that use it"},
			&cli.BoolFlag{Name: "race", Usage: "run the tests under the race detector"},
			&cli.DurationFlag{Name: "timeout", Value: 3 * time.Minute, Usage: "limit for the tests of one package; a hang counts as found"},
			&cli.IntFlag{Name: "jobs", Value: 4, Usage: "try `N` mistakes at a time: the tests wait more than they compute"},
			&cli.Float64Flag{Name: "least", Value: 90, Usage: "exit with 1 if less than `PERCENT` are found"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON document"},
			&cli.BoolFlag{Name: "markdown", Usage: "print the table in Markdown, as in docs/lab/teeth.md"},
		},
		Action: runLive,
	}
}

func runLive(c *cli.Context) (err error) {
	all, err := liveMistakes()
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(m mistake) bool { return !strings.Contains(m.Name, c.String("only")) })
	if len(all) == 0 || c.Int("jobs") < 1 {
		return fmt.Errorf("--only %q --jobs %d: want the name of a mistake, and 1 or more", c.String("only"), c.Int("jobs"))
	}
	b, err := newBench(0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	flags := []string{"-timeout=" + c.Duration("timeout").String()}
	if !c.Bool("full") {
		flags = append(flags, "-short")
	}
	if c.Bool("race") {
		flags = append(flags, "-race")
	}
	l, err := newLiveBench(c.Context, b, flags)
	if err != nil {
		return err
	}
	l.own = c.Bool("own")
	if _, err := b.run(c.Context, append(append([]string{"build"}, tagsOf(fabric)...), "./"+fabric)...); err != nil {
		_, _ = fmt.Fprintf(c.App.ErrWriter, "without the mistakes in %s: libfabric is missing: %v\n", fabric, err)
		all = slices.DeleteFunc(all, func(m mistake) bool { return path.Dir(m.File) == fabric })
	}
	if err := l.check(c.Context, all); err != nil {
		return err
	}
	list, err := l.tryAll(c.Context, all, c.Int("jobs"), c.App.ErrWriter)
	if err != nil {
		return err
	}
	err = printList(c, list, func(markdown bool) string { return noticedTable(list, markdown) })
	if found := foundOf(list); err == nil && 100*float64(found) < c.Float64("least")*float64(len(list)) {
		err = fmt.Errorf("%w: %d of %d mistakes were found", errFew, found, len(list))
	}
	return err
}

func foundOf(list []noticed) (found int) {
	for _, got := range list {
		if got.Found {
			found++
		}
	}
	return found
}

func noticedTable(list []noticed, markdown bool) string {
	t := table.NewWriter()
	t.AppendHeader(table.Row{"mistake", "file", "found by", "seconds"})
	for _, got := range list {
		by := "-"
		if got.Found {
			by = got.Package + " " + got.Test
		}
		t.AppendRow(table.Row{got.Name, got.File, by, fmt.Sprintf("%.1f", got.Seconds)})
	}
	t.AppendFooter(table.Row{"all", "", fmt.Sprintf("%d of %d", foundOf(list), len(list)), ""})
	return render(t, markdown)
}
