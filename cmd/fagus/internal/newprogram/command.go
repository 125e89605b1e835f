package newprogram

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"text/template"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/fagus-dsm/fagus/apps/examples"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Command returns the command fagus new.
func Command() *cli.Command {
	return &cli.Command{
		Name: "new", Usage: "write a module with a small program of your own, and a test of it",
		UsageText: `fagus new [flags] DIR

fagus new life && cd life && go test ./... && go run . --nodes 4
fagus new --list                          # the examples
fagus new --example halo waves            # main.go and its test are those of an example`,
		Description: "DIR must not exist, or be empty. It gets go.mod, main.go, main_test.go and README.md. The program is\n" +
			"called like DIR. fagus new runs go mod tidy in it, which may need the network.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "example", Usage: "write the program `NAME` of the examples, with its test", DefaultText: "a program that counts digits"},
			&cli.BoolFlag{Name: "list", Usage: "list the examples, and write nothing"},
			&cli.StringFlag{Name: "module", Usage: "`PATH` of the module", DefaultText: "example.com/ and the name of DIR"},
			&cli.StringFlag{Name: "checkout", Usage: "use Fagus from a checkout in `FOLDER`", DefaultText: "the one that fagus was built in, unless it was installed with a version"},
		},
		Action: func(c *cli.Context) error {
			if c.Bool("list") {
				return list(c)
			}
			if c.NArg() != 1 {
				return usage.Errorf("want one folder; see 'fagus new --help'")
			}
			return write(c)
		},
	}
}

func write(c *cli.Context) error {
	dir := c.Args().First()
	full, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	p := project{Name: filepath.Base(full), Module: c.String("module")}
	if p.Module == "" {
		p.Module = "example.com/" + p.Name
	}
	if err := module.CheckImportPath(p.Module); err != nil {
		return usage.Errorf("%w: give another folder, or --module PATH", err)
	}
	if err := checkEmpty(dir); err != nil {
		return err
	}
	if c.IsSet("example") {
		if p.Example, err = example(c.String("example")); err != nil {
			return err
		}
	}
	if p.Fagus, err = source(c.String("checkout")); err != nil {
		return err
	}
	files, err := p.files()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var names []string
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.text, 0o666); err != nil {
			return err
		}
		if f.name != "go.sum" {
			names = append(names, f.name)
		}
	}
	if err := tidy(c.Context, full); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.App.Writer, "%s has %s. Next:\n\n    cd %s\n    go test ./...\n    go run . --nodes 4\n    go run . --help\n", dir, strings.Join(names, ", "), dir)
	return err
}

// checkEmpty returns an error if dir exists and is not an empty folder.
func checkEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch info, found := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case found == nil && !info.IsDir():
		return usage.Errorf("%s is a file: give a new folder", dir)
	case err != nil:
		return err
	case len(entries) > 0:
		return usage.Errorf("%s is not empty, it has %s: give a new folder", dir, entries[0].Name())
	}
	return nil
}

// tidyTimeout bounds go mod tidy, which may download modules.
const tidyTimeout = 5 * time.Minute

// tidy lets the Go tool complete the module in dir.
func tidy(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, tidyTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "mod", "tidy")
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("the files are in %s, but go mod tidy has failed there: %w\n%srun it again when this is mended", dir, err, out)
	}
	return nil
}

const fagusModule = "github.com/fagus-dsm/fagus"

//go:embed template
var templates embed.FS

// project is what the templates of a new module need.
type project struct {
	Name, Module string
	Example      *examples.Example // nil: the program of the templates
	Fagus
}

// Fagus is where a new module gets Fagus from.
type Fagus struct {
	Version  string // of the module; "" for a checkout
	Checkout string // the folder of a checkout; "" for a version
}

// source returns where new modules get Fagus from: the given checkout or, if it is "", where this
// program comes from.
func source(checkout string) (Fagus, error) {
	if checkout != "" {
		full, err := filepath.Abs(checkout)
		if err == nil && !isCheckout(full) {
			err = usage.Errorf("--checkout %s: it has no go.mod of %s", checkout, fagusModule)
		}
		return Fagus{Checkout: full}, err
	}
	info, _ := debug.ReadBuildInfo()
	_, file, _, _ := runtime.Caller(0)
	return origin(info, file)
}

// origin returns where a program comes from, of which the Go tool has recorded info, and whose
// source is file, a path that is relative if it was built with -trimpath.
func origin(info *debug.BuildInfo, file string) (Fagus, error) {
	// The checksum is recorded only if the module came from a proxy or a repository.
	if info != nil && info.Main.Path == fagusModule && info.Main.Sum != "" {
		return Fagus{Version: info.Main.Version}, nil
	}
	for dir := filepath.Dir(file); filepath.IsAbs(dir) && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if isCheckout(dir) {
			return Fagus{Checkout: dir}, nil
		}
	}
	return Fagus{}, usage.Errorf("this fagus was built in a checkout that cannot be found: name one with --checkout FOLDER")
}

// isCheckout reports whether dir has the go.mod of Fagus.
func isCheckout(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && modfile.ModulePath(text) == fagusModule
}

type file struct {
	name string
	text []byte
}

// files returns the files of the new module.
func (p *project) files() ([]file, error) {
	entries, err := templates.ReadDir("template")
	if err != nil {
		return nil, err
	}
	all, err := p.moduleFiles()
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".tmpl"); p.Example != nil && name != "README.md" {
			all = append(all, file{name, map[string][]byte{"main.go": p.Example.Main, "main_test.go": p.Example.Test}[name]})
			continue
		}
		t, err := template.ParseFS(templates, path.Join("template", e.Name()))
		if err != nil {
			return nil, err
		}
		var text bytes.Buffer
		if err := t.Execute(&text, p); err != nil {
			return nil, err
		}
		all = append(all, file{strings.TrimSuffix(e.Name(), ".tmpl"), text.Bytes()})
	}
	return all, nil
}

// moduleFiles returns go.mod and, for a checkout, go.sum. With the versions and checksums of the
// checkout, the new module needs nothing that the checkout has not needed.
func (p *project) moduleFiles() ([]file, error) {
	m := &modfile.File{}
	if err := m.AddModuleStmt(p.Module); err != nil {
		return nil, err
	}
	if p.Checkout == "" {
		if err := m.AddRequire(fagusModule, p.Version); err != nil {
			return nil, err
		}
		text, err := m.Format()
		return []file{{"go.mod", text}}, err
	}
	name := filepath.Join(p.Checkout, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	of, err := modfile.Parse(name, text, nil)
	if err != nil {
		return nil, err
	}
	if of.Go != nil {
		if err := m.AddGoStmt(of.Go.Version); err != nil {
			return nil, err
		}
	}
	m.AddNewRequire(fagusModule, "v0.0.0", false)
	for _, r := range of.Require {
		m.AddNewRequire(r.Mod.Path, r.Mod.Version, true)
	}
	if err := m.AddReplace(fagusModule, "", p.Checkout, ""); err != nil {
		return nil, err
	}
	if text, err = m.Format(); err != nil {
		return nil, err
	}
	sums, err := os.ReadFile(filepath.Join(p.Checkout, "go.sum"))
	if err != nil {
		return nil, fmt.Errorf("the checkout of Fagus: %w", err)
	}
	return []file{{"go.mod", text}, {"go.sum", sums}}, nil
}
