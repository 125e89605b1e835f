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

type outcome string

const (
	killed   outcome = "killed"
	survived outcome = "survived"
	unbuilt  outcome = "does not compile"
)

type bench struct {
	root   string // the module's folder
	dir    string // temporary folder for changed files
	bound  time.Duration
	bounds map[string]time.Duration // time limit per tested package; at most bound
}

func newBench(bound time.Duration) (*bench, error) {
	root, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		return nil, errors.New("no go.mod here: run teeth in the root folder of the module")
	}
	dir, err := os.MkdirTemp("", "teeth-*")
	return &bench{root, dir, bound, make(map[string]time.Duration)}, err
}

func (b *bench) close() error { return os.RemoveAll(b.dir) }

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

// calibrate runs the tests on the unchanged code and sets their time limits: ten times the time
// that a package takes, compilation included. A test that exceeds its limit counts as hanging.
func (b *bench) calibrate(ctx context.Context, packages []string) error {
	const least = 20 * time.Second
	for _, pkg := range packages {
		for _, test := range changed()[pkg] {
			if b.bounds[test] > 0 {
				continue
			}
			start := time.Now()
			if _, err := b.run(ctx, "test", "-short", "-count=1", "-vet=off", "./"+test); err != nil {
				return &brokenError{err}
			}
			b.bounds[test] = min(max(10*time.Since(start), least), b.bound)
		}
	}
	return nil
}

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
		if _, err := b.run(ctx, "test", flag, "-short", "-failfast", "-vet=off", "-timeout", b.bounds[pkg].String(), "./"+pkg); err != nil {
			return killed, pkg, ctx.Err()
		}
	}
	return survived, "", nil
}

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
