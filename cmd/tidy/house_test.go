package main

import (
	"strings"
	"testing"
)

// TestHouse checks that this repository follows its rules.
func TestHouse(t *testing.T) {
	root, err := moduleRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	tr, err := openTree(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range houseRules() {
		t.Run(r.name, func(t *testing.T) {
			for _, b := range r.run(tr) {
				t.Error(b)
			}
		})
	}
}

// sloppy is a tree that breaks every rule in houseRules.
func sloppy() source {
	return source{
		"go.mod":                         "module m.test\n\ngo 1.26\n\nrequire foul.test v0.0.0\n\nreplace foul.test => ./foul\n",
		"foul/go.mod":                    "module foul.test\n",
		"foul/foul.go":                   "package foul\n",
		"dimmnet/dimmnet.go":             "package dimmnet\n\nfunc {\n",
		"phase/phase.go":                 "package phase\n\nimport \"time\"\n\nvar T = time.Now\n",
		"fagus/fagus.go":                 "package fagus\n\nimport _ \"foul.test\"\n\nfunc init()   {}\n",
		"fagus/checkpoint/checkpoint.go": "package checkpoint\n\nimport _ \"foul.test\"\n",
		"fagus/program/program.go":       "package program\n\nimport _ \"foul.test\"\n",
		"ringbuf/ringbuf.go":             "package ringbuf\n\nimport _ \"m.test/phase\"\n\nfunc F() {\n" + lines(90) + "}\n",
		"CONTRIBUTING.md":                "| term | not |\n|---|---|\n| poll | looked |\n",
		"docs/a.md":                      "[gone](gone.md)\n" + strings.Repeat("wide ", 21) + "\n",
		"consistency/doc.go":             "// Package consistency looked " + strings.Repeat("very ", 20) + "long.\npackage consistency\n",
		"syncvar/syncvar.go":             "package syncvar\n\nimport \"os\"\n\nfunc F() { os.Exit(1) }\n",
	}
}

// TestEveryRuleFails checks that every rule in houseRules reports a breach in the sloppy tree.
func TestEveryRuleFails(t *testing.T) {
	tr := onDisk(t, sloppy())
	for _, r := range houseRules() {
		breaches := r.run(tr)
		if len(breaches) == 0 {
			t.Errorf("rule %s reports no breach in the sloppy tree, want one or more", r.name)
		}
		for _, b := range breaches {
			t.Log(b)
		}
	}
}
