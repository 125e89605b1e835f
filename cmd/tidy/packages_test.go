package main

import "testing"

func TestPackagesRule(t *testing.T) {
	for name, tt := range map[string]struct {
		files source
		want  []string
	}{
		"library": {files: source{
			"a/doc.go": "// Package a is a letter.\npackage a\n",
			"a/a.go":   "// Copyright of the letter.\n\npackage a\n",
			"a/gen.go": "//go:build ignore\n\n// Gen makes letters.\npackage main\n",
		}},
		"command":    {files: source{"cmd/x/x.go": "// Command x is short.\npackage main\n", "cmd/x/y.go": "package main\n"}},
		"only tests": {files: source{"a/a_test.go": "package a_test\n"}},
		"none": {
			source{"a/a.go": "//go:build linux\n\npackage a\n", "a/doc_test.go": "// Package a is tested.\npackage a\n"},
			[]string{"a/a.go:3: package a has no comment"}},
		"elsewhere": {
			source{"a/a.go": "// Package a is a letter.\npackage a\n"},
			[]string{"a/a.go:1: package comment outside doc.go"}},
		"twice": {
			source{"a/a.go": "// The first letter.\npackage a\n", "a/doc.go": "// Package a is a letter.\npackage a\n"},
			[]string{"a/a.go:1: package comment outside doc.go"}},
		"other name": {
			source{"a/doc.go": "// Package ab is two letters.\npackage a\n"},
			[]string{"a/doc.go:1: package comment does not start with Package a"}},
		"mute command": {
			source{"cmd/x/x.go": "package main\n"},
			[]string{"cmd/x/x.go:1: command cmd/x has no comment"}},
	} {
		t.Run(name, func(t *testing.T) { planted(t, packagesRule(), tt.files, tt.want...) })
	}
}
