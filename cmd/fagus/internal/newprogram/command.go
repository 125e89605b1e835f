package newprogram

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/mod/module"

	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Command returns the command fagus new.
func Command() *cli.Command {
	return &cli.Command{
		Name: "new", Usage: "write a module with a small program of your own, and a test of it",
		UsageText: `fagus new [flags] DIR

fagus new life && cd life && go test ./... && go run . --nodes 4`,
		Description: "DIR must not exist, or be empty. It gets go.mod, main.go, main_test.go and README.md. The program is\n" +
			"called like DIR. fagus new runs go mod tidy in it, which may need the network.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "module", Usage: "`PATH` of the module", DefaultText: "example.com/ and the name of DIR"},
			&cli.StringFlag{Name: "checkout", Usage: "use Fagus from a checkout in `FOLDER`", DefaultText: "the one that fagus was built in, unless it was installed with a version"},
		},
		Action: func(c *cli.Context) error {
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
