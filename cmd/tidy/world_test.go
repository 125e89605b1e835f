package main

import "testing"

func TestWorldRule(t *testing.T) {
	r := worldRule(cottage())
	for name, tt := range map[string]struct {
		files source
		want  []string
	}{
		"with reasons": {files: source{
			"nic/tcp/tcp.go": "package tcp\n\nimport (\n\t\"net\"\n\t\"time\"\n)\n",
			"cmd/x/main.go":  "package main\n\nimport \"time\"\n",
		}},
		"of tests":          {files: source{"lib/lib_test.go": "package lib\n\nimport (\n\t\"net\"\n\t\"time\"\n)\n"}},
		"of similar names":  {files: source{"lib/lib.go": "package lib\n\nimport (\n\t\"network\"\n\t\"runtime\"\n)\n"}},
		"of no known place": {files: source{"attic/attic.go": "package attic\n\nimport \"time\"\n"}},
		"clock": {
			source{"lib/lib.go": "package lib\n\nimport \"time\"\n"},
			[]string{"lib/lib.go:3: lib imports time"}},
		"network": {
			source{"nic/nic.go": "package nic\n\nimport (\n\t\"net\"\n\t\"net/netip\"\n)\n"},
			[]string{"nic/nic.go:4: nic imports net", "nic/nic.go:5: nic imports net/netip"}},
		"syntax": {
			source{
				"cmd/x/main.go": "package main\n\nimport \"go/ast\"\n",
				"lib/lib.go":    "package lib\n\nimport (\n\t\"go/ast\"\n\t\"gopher\"\n)\n",
			},
			[]string{"lib/lib.go:4: lib imports go/ast"}},
		"clock only": {
			source{"cmd/x/main.go": "package main\n\nimport (\n\t\"net/http\"\n\t\"time\"\n)\n"},
			[]string{"cmd/x/main.go:4: cmd/x imports net/http"}},
	} {
		t.Run(name, func(t *testing.T) { planted(t, r, tt.files, tt.want...) })
	}
}
