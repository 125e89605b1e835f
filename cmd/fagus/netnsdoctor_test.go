//go:build linux

package main

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/namespaces"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// TestHostsDoctor: fagus doctor --hosts names what a job would miss, and in which direction.
func TestHostsDoctor(t *testing.T) {
	longtest.Third(t)
	h := newHosts(t, 2)
	a, b := h.Hosts[0], h.Hosts[1]
	undo := func(line string) {
		if err := namespaces.IP(line); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct {
		name   string
		words  []string
		before string // of ip
		after  string
		code   int
		want   []string
		not    string
	}{
		{name: "healthy", words: []string{"--net", "quic"}, want: []string{
			"ok    " + b + "  fagus ", "ok    " + a + "  ports ", "10.78.0.1 (eth0)",
			"ok    " + b + "  tcp         reached from " + a, "ok    " + a + "  udp         reached from " + b,
			"ok    " + b + "  mtu         packets of 1500 bytes",
		}, not: "warn"},
		{name: "no datagrams", before: "-n " + b + " rule add priority 1 iif eth0 ipproto udp blackhole",
			want: []string{"warn  " + b + "  udp         no datagram of " + a + " to " + b + " at 10.78.0.2 is answered"}, not: "FAIL"},
		{name: "no datagrams, quic", words: []string{"--net", "quic"}, after: "-n " + b + " rule del priority 1",
			code: runflags.ExitFailed, want: []string{"FAIL  " + b + "  udp ", "--net quic needs datagrams", "ok    " + b + "  tcp"}},
		{name: "blocked ports", words: []string{"--ports", "17000-17003"},
			before: "-n " + b + " rule add priority 1 iif eth0 ipproto tcp dport 17002-17100 blackhole", after: "-n " + b + " rule del priority 1",
			code: runflags.ExitFailed, want: []string{
				"FAIL  " + b + "  tcp         " + a + " cannot connect to " + b + ":17002, at 10.78.0.2: timeout: is the port open? (2 of 4 ports: 17002-17003)",
				"ok    " + a + "  tcp         reached from " + b,
			}},
		{name: "packets of 1400 bytes", before: "-n " + a + " link set eth0 mtu 1400", after: "-n " + a + " link set eth0 mtu 1500",
			want: []string{"warn  " + a + "  mtu         1400 from " + b + ", whose interface sends 1500", "ok    " + b + "  mtu         packets of 1400 bytes"}},
		{name: "no such host", words: []string{"--hosts", a + ",nosuchhost"}, code: runflags.ExitEnvironment, want: []string{
			"  ssh         reached in ", "FAIL  nosuchhost  ssh         not reached: Cannot open network namespace",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.before != "" {
				if err := namespaces.IP(c.before); err != nil {
					t.Skip("this ip cannot do it: ", err)
				}
			}
			if c.after != "" {
				defer undo(c.after)
			}
			words := append([]string{"doctor", "--wait", "1500ms", "--hosts"}, c.words...)
			out, err := h.command(t, words...).CombinedOutput()
			var exit *exec.ExitError
			if code := 0; errors.As(err, &exit) {
				code = exit.ExitCode()
				if code != c.code {
					t.Errorf("exit code %d, want %d", code, c.code)
				}
			} else if err != nil || c.code != 0 {
				t.Errorf("%v, want exit code %d", err, c.code)
			}
			// Columns are as wide as the names.
			oneSpace := func(s string) string { return strings.Join(strings.Fields(s), " ") }
			for _, w := range c.want {
				if !strings.Contains(oneSpace(string(out)), oneSpace(w)) {
					t.Errorf("no %q", w)
				}
			}
			if c.not != "" && strings.Contains(string(out), c.not) {
				t.Errorf("%q is there", c.not)
			}
			if t.Failed() {
				t.Logf("%s", out)
			}
		})
	}
	h.empty(t)
}
