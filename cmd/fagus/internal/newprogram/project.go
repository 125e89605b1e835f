package newprogram

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"text/template"

	"golang.org/x/mod/modfile"

	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const fagusModule = "github.com/fagus-dsm/fagus"

//go:embed template
var templates embed.FS

// project is what the templates of a new module need.
type project struct {
	Name, Module string
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
