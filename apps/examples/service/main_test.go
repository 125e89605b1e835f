package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/fagustest"
)

// TestServe asks a service while its ranks compute, and ends it.
func TestServe(t *testing.T) {
	fagustest.Run(t, fagus.Config{Nodes: 3}, func(n *fagus.Node) error {
		if n.Rank() > 0 {
			return serve(n, nil, n.Context())
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		ctx, end := context.WithCancel(n.Context())
		asked := make(chan error, 1)
		go func() {
			defer end()
			asked <- ask("http://" + l.Addr().String())
		}()
		if err := serve(n, l, ctx); err != nil {
			return err
		}
		return <-asked
	})
}

// ask returns an error if the service at a URL gives a wrong answer.
func ask(url string) error {
	for what, want := range map[string]string{
		"/status":               " primes in ",
		"/count?from=10&to=20":  "4 primes from 10 to 19, by rank ",
		"/count?from=0&to=1000": "168 primes from 0 to 999, by rank ",
		"/count?from=5":         "want /count?from=A&to=B",
	} {
		r, err := http.Get(url + what)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || !strings.Contains(string(text), want) {
			return fmt.Errorf("%s: %q, %v, want %q", what, text, err, want)
		}
	}
	return nil
}

func TestPrimes(t *testing.T) {
	if got := primes(0, 10000); got != 1229 {
		t.Errorf("%d primes below 10000, want 1229", got)
	}
}
