package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// outcome is what became of a change.
type outcome string

const (
	killed   outcome = "killed"
	survived outcome = "survived"
	unbuilt  outcome = "does not compile"
)

// bench is where changes are tried.
type bench struct {
	root  string // of the module
	dir   string // for changed files
	bound time.Duration
}

func newBench(bound time.Duration) (*bench, error) {
	root, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		return nil, errors.New("run it in the module's root")
	}
	dir, err := os.MkdirTemp("", "teeth-*")
	return &bench{root, dir, bound}, err
}

func (b *bench) close() error { return os.RemoveAll(b.dir) }

// overlay writes a changed copy of a file and what tells the build of it.
func (b *bench) overlay(file string, content []byte) (flag string, err error) {
	copied := filepath.Join(b.dir, "changed.go")
	if err := os.WriteFile(copied, content, 0o600); err != nil {
		return "", err
	}
	table, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(b.root, file): copied}})
	if err != nil {
		return "", err
	}
	list := filepath.Join(b.dir, "overlay.json")
	return "-overlay=" + list, os.WriteFile(list, table, 0o600)
}

// try makes a change and runs tests, package by package, until one fails. by is which.
func (b *bench) try(ctx context.Context, c *change, packages []string) (o outcome, by string, err error) {
	source, err := os.ReadFile(filepath.Join(b.root, c.file))
	if err != nil {
		return "", "", err
	}
	flag, err := b.overlay(c.file, c.apply(source))
	if err != nil {
		return "", "", err
	}
	if _, err := b.run(ctx, "build", flag, "./"+filepath.Dir(c.file)); err != nil {
		return unbuilt, "", ctx.Err()
	}
	for _, pkg := range packages {
		if _, err := b.run(ctx, "test", flag, "-short", "-failfast", "-vet=off", "-timeout", b.bound.String(), "./"+pkg); err != nil {
			return killed, pkg, ctx.Err()
		}
	}
	return survived, "", nil
}

// run runs the go command.
func (b *bench) run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = b.root
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("go %v: %w\n%s", args, err, out.Bytes())
	}
	return out.Bytes(), err
}
