package peers

import (
	"slices"
	"strings"
	"testing"
)

func TestGreeting(t *testing.T) {
	tests := []struct {
		line   string
		rank   int // -1: an error
		opened []string
	}{
		{"rank 0\n", 0, nil},
		{"rank 1 over net\n", 1, []string{"net"}},
		{"rank 1 over tcp tcp;ofi_rxm\n", 1, []string{"tcp", "tcp;ofi_rxm"}},
		{"rank 1 over\n", 1, nil},
		{"rank 1 under net\n", -1, nil},
		{"rank x\n", -1, nil},
		{"rank -1\n", -1, nil},
		{"rang 1\n", -1, nil},
		{"\n", -1, nil},
	}
	for _, test := range tests {
		rank, opened, err := parseGreeting(test.line)
		if (err != nil) != (test.rank < 0) || err == nil && (rank != test.rank || !slices.Equal(opened, test.opened)) {
			t.Errorf("%q: got rank %d over %q, %v; want rank %d over %q", test.line, rank, opened, err, test.rank, test.opened)
		}
	}
}

func TestProviders(t *testing.T) {
	tests := []struct {
		want   string
		opened []string
		err    string // part of it; "" for none
	}{
		{"", nil, ""},
		{"", []string{"net"}, ""},
		{"net", []string{"net"}, ""},
		{"tcp;ofi_rxm", []string{"tcp", "tcp;ofi_rxm"}, ""},
		{"net", nil, "has not opened the provider net, but []"},
		{"net", []string{"net;ofi_rxm", "net"}, "opened the provider net;ofi_rxm, too"},
		{"tcp;ofi_rxm", []string{"tcp"}, `has not opened the provider tcp;ofi_rxm, but ["tcp"]`},
		{"shm", []string{"shm", "net"}, "opened the provider net, too"},
	}
	for _, test := range tests {
		err := checkProviders(test.want, test.opened)
		if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%q of %q: got %v; want %q", test.want, test.opened, err, test.err)
		}
	}
}
