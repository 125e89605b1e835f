//go:build ofi && linux && cgo

package ofi

import (
	"regexp"
	"slices"
	"testing"
)

// TestRefused: a provider is usable, or lacks something that the test can name.
func TestRefused(t *testing.T) {
	usable, err := Providers("")
	if err != nil {
		t.Skip(err)
	}
	refused, err := Refused()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range refused {
		if slices.ContainsFunc(usable, func(p Provider) bool { return p.Name == r.Name }) {
			t.Errorf("%s is usable, and refused: %v", r.Name, r.Lacks)
		}
		if r.Name == "udp" && !slices.Equal(r.Lacks, []string{"FI_EP_RDM", "FI_RMA", "FI_ORDER_SAS"}) {
			t.Errorf("udp, which has plain datagrams, lacks %v", r.Lacks)
		}
	}
	if v := Version(); !regexp.MustCompile(`^[12]\.[0-9]+$`).MatchString(v) {
		t.Errorf("version %q", v)
	}
	for _, p := range usable {
		if p.Format == "" || p.Progress == "" || p.Domain == "" {
			t.Errorf("%+v", p)
		}
	}
}
