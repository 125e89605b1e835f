package main

import (
	"slices"
	"testing"
)

// cottage is a small table of imports: a port, a library on it, programs, commands.
func cottage() []place {
	return []place{
		{dir: "nic"},
		{dir: "nic/*", may: []string{"nic"}, time: "clocks", net: "sockets"},
		{dir: "lib", may: []string{"nic"}},
		{dir: "apps/*", may: []string{"lib"}},
		{dir: "cmd/*", may: []string{"nic", "nic/*", "lib", "apps/*"}, time: "users", text: "checks"},
	}
}

func TestImportsRule(t *testing.T) {
	r := importsRule(cottage())
	for name, tt := range map[string]struct {
		files source
		want  []string
	}{
		"as planned": {files: source{
			"nic/nic.go":      "package nic\n\nimport \"fmt\"\n",
			"nic/tcp/tcp.go":  "package tcp\n\nimport \"m.test/nic\"\n",
			"lib/lib.go":      "package lib\n\nimport \"m.test/nic\"\n",
			"apps/sum/sum.go": "package sum\n\nimport \"m.test/lib\"\n",
			"cmd/x/main.go":   "package main\n\nimport (\n\t\"m.test/apps/sum\"\n\t\"m.test/nic/tcp\"\n)\n",
		}},
		"upwards": {
			source{"nic/nic.go": "package nic\n\nimport (\n\t\"fmt\"\n\t\"m.test/lib\"\n)\n"},
			[]string{"nic/nic.go:5: nic imports lib"}},
		"to a neighbour": {
			source{"apps/sum/sum.go": "package sum\n\nimport \"m.test/apps/sort\"\n"},
			[]string{"apps/sum/sum.go:3: apps/sum imports apps/sort"}},
		"to another command": {
			source{"cmd/x/main.go": "package main\n\nimport \"m.test/cmd/y\"\n"},
			[]string{"cmd/x/main.go:3: cmd/x imports cmd/y"}},
		"past a floor": {
			source{"apps/sum/sum.go": "package sum\n\nimport \"m.test/nic\"\n"},
			[]string{"apps/sum/sum.go:3: apps/sum imports nic"}},
		"of the root": {
			source{"lib/lib.go": "package lib\n\nimport \"m.test\"\n"},
			[]string{"lib/lib.go:3: lib imports ."}},
		"unknown": {
			source{"attic/attic.go": "package attic\n", "lib/deep/deep.go": "package deep\n"},
			[]string{
				"attic/attic.go:1: package attic is not in the table",
				"lib/deep/deep.go:1: package lib/deep is not in the table"}},
		"of tests": {
			source{
				"nic/nic_test.go":      "package nic_test\n\nimport (\n\t\"m.test/lib\"\n\t\"m.test/nic/tcp\"\n)\n",
				"lib/lib_test.go":      "package lib\n\nimport (\n\t\"m.test/apps/sum\"\n\t\"m.test/cmd/x\"\n)\n",
				"apps/sum/sum_test.go": "package sum\n\nimport (\n\t\"m.test/apps/sort\"\n\t\"m.test/cmd/x\"\n)\n",
			},
			[]string{
				"apps/sum/sum_test.go:5: apps/sum imports cmd/x",
				"lib/lib_test.go:4: lib imports apps/sum",
				"lib/lib_test.go:5: lib imports cmd/x"}},
	} {
		t.Run(name, func(t *testing.T) { planted(t, r, tt.files, tt.want...) })
	}
}

// TestPlacesPointOneWay checks that every row of places imports only folders of rows above it.
func TestPlacesPointOneWay(t *testing.T) {
	table := places()
	for i, pl := range table {
		for _, pattern := range pl.may {
			named := func(other place) bool { return matches(pattern, other.dir) }
			if !slices.ContainsFunc(table[:i], named) {
				t.Errorf("row %s may import %s: want a row above it for that folder", pl.dir, pattern)
			}
			if j := slices.IndexFunc(table[i:], named); j >= 0 {
				t.Errorf("row %s may import %s: want the row of that folder above", pl.dir, table[i+j].dir)
			}
		}
	}
}
