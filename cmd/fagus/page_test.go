package main

import (
	"flag"
	"io"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/live/ofi"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
)

var update = flag.Bool("update", false, "write the section of this command in docs/reference/cli.md")

// TestPageOfCommands checks that docs/reference/cli.md describes the command as it is.
func TestPageOfCommands(t *testing.T) {
	if ofi.Supported() == nil {
		t.Skip("the page describes the command without the build tag ofi")
	}
	tree := tree(newApp(io.Discard, io.Discard))
	if err := tree.Check(); err != nil {
		t.Fatal(err)
	}
	if err := cmdline.Section("../../docs/reference/cli.md", "fagus", tree.Page(2), *update); err != nil {
		t.Error(err)
	}
}
