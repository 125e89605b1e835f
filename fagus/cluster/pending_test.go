package cluster

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// attacker tries to join a job that is complete.
type attacker struct {
	address       string
	random        *rand.Rand
	own, stranger *identity.Identity // of rank 1 of the job, and of another job
	hello         hello              // rank 1's hello
}

// attack tries one method and returns the bytes that it received.
func (a *attacker) attack(method int) (answer []byte, err error) {
	raw, err := net.Dial("tcp", a.address)
	if err != nil {
		return nil, err
	}
	defer raw.Close()
	if err := raw.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		return nil, err
	}
	greeting := a.hello
	secure := func(cfg *tls.Config) {
		cfg.InsecureSkipVerify = true
		m, err := greeting.message()
		if err != nil {
			panic(err)
		}
		conn := tls.Client(raw, cfg)
		_, _ = conn.Write(m.encode())
		answer, _ = io.ReadAll(conn) // rank 0 closes the connection
	}
	switch method {
	case 0: // sends random bytes
		noise := make([]byte, a.random.IntN(300))
		for i := range noise {
			noise[i] = byte(a.random.Uint32())
		}
		_, _ = raw.Write(noise)
	case 1: // sends a hello in plain text
		m, err := greeting.message()
		if err != nil {
			return nil, err
		}
		_, _ = raw.Write(m.encode())
		_, _ = io.Copy(io.Discard, raw)
	case 2: // has no certificate
		cfg := a.stranger.Client(0)
		cfg.Certificates = nil
		secure(cfg)
	case 3: // has a certificate of another job
		secure(a.stranger.Client(0))
	case 4: // has the identity of rank 1 and claims to be another rank
		greeting.Rank = 2
		secure(a.own.Client(0))
	case 5: // was a rank of an earlier start of the job
		greeting.Epoch = 7
		secure(a.own.Client(0))
	}
	return answer, nil
}

// TestHostsAttacked checks that processes without an identity of the job, or with the identity of
// another rank, do not affect the job.
func TestHostsAttacked(t *testing.T) {
	attempts := longtest.Cases(10_000, 2000)
	if testing.Short() {
		attempts = 600
	}
	const size, ways = 3, 6
	authority, err := identity.NewAuthority(size)
	if err != nil {
		t.Fatal(err)
	}
	other, err := identity.NewAuthority(size)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]*identity.Identity, size)
	for rank := range ids {
		if ids[rank], err = authority.Issue(dimmnet.Rank(rank)); err != nil {
			t.Fatal(err)
		}
	}
	stranger, err := other.Issue(1)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	place := Place{Size: size, Job: fmt.Sprint(t.Name(), os.Getpid()), Rendezvous: l.Addr().String()}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	hosts := make([]*Hosts, size)
	var all sync.WaitGroup
	for rank := range hosts {
		all.Go(func() {
			p := place
			p.Rank = rank
			var err error
			if hosts[rank], err = JoinHostsWithAll(t.Context(), p, Spec{Drivers: AllDrivers(), Identity: ids[rank]}); err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const attackers = 8
	for n := range uint64(attackers) {
		all.Go(func() {
			a := &attacker{address: hosts[0].listener.Addr().String(), random: rand.New(rand.NewPCG(seed, n)), own: ids[1], stranger: stranger, hello: hosts[1].own}
			for i := range attempts / attackers {
				method := i % ways
				answer, err := a.attack(method)
				if err != nil {
					t.Errorf("attempt %d: %v", i, err)
					return
				}
				// Only a process that has proved a rank may get an answer.
				if answered := len(answer) > 0; answered != (method == 5) || answered && !bytes.Contains(answer, []byte("of epoch 7")) {
					t.Errorf("attempt %d with method %d was answered: %q", i, method, answer)
				}
			}
		})
	}
	all.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for rank := range hosts {
		all.Go(func() {
			if got, err := hosts[rank].Gather(ctx, []byte{byte(rank)}); err != nil || len(got) != size || !bytes.Equal(bytes.Join(got, nil), []byte{0, 1, 2}) {
				t.Errorf("rank %d after the attacks: %v, %v", rank, got, err)
			}
			if err := hosts[rank].Close(ctx); err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	all.Wait()
}
