//go:build ofi && linux && cgo

package ofi

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/cpuset"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// address describes a rank to its peers. Ranks exchange addresses in JSON, by dimmnet.Member.
type address struct {
	Share    []byte // share of the run's token: shareBytes random bytes
	Form     mesh.Form
	CPUs     cpuset.Set // the processors that the process may use
	Host     string     // the same for ranks of one host
	Provider string
	Name     []byte       // of the endpoint
	Memory   [2][3]uint64 // of LLCM and bulk memory: address, key, bytes
}

const shareBytes = 16

// prepare returns the function that connects a rank to all others. joined is false if all ranks
// are in this process.
func prepare(cfg *Config, joined bool) (stream.Join, error) {
	g := new(group)
	return func(ctx context.Context, m dimmnet.Member) (*stream.Links, error) {
		ctx, cancel := context.WithTimeout(ctx, cfg.Mesh.Joining)
		defer cancel()
		l, err := connect(ctx, cfg, g, m, joined)
		if err != nil {
			return nil, fmt.Errorf("ofi: %w", err)
		}
		return l, nil
	}, nil
}

func connect(ctx context.Context, cfg *Config, g *group, m dimmnet.Member, joined bool) (*stream.Links, error) {
	node := ""
	if usesIP(cfg.Provider) {
		ip, err := net.DefaultResolver.LookupIPAddr(ctx, cfg.Mesh.Listen)
		if err != nil {
			return nil, fmt.Errorf("the address from which this rank sends: %w", err)
		}
		if !ip[0].IP.IsUnspecified() {
			node = ip[0].String()
		}
	}
	place := cfg.Place
	if !joined {
		place = int(m.Rank())
	}
	domain, node, err := nic(cfg, node, place)
	if err != nil {
		return nil, err
	}
	f, err := newFabric(g, m.Rank(), m.Size(), cfg.Provider, node, domain, cfg.Mesh.Stall)
	if err != nil {
		return nil, err
	}
	l, err := f.join(ctx, cfg, m, joined)
	if err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

// usesIP reports whether a provider uses IP addresses: then an address of this host chooses the
// NIC.
func usesIP(provider string) bool {
	first, _, _ := strings.Cut(provider, ";")
	return slices.Contains([]string{"tcp", "net", "udp", "sockets", "verbs"}, first)
}

// join exchanges addresses with the other ranks.
func (f *fabric) join(ctx context.Context, cfg *Config, m dimmnet.Member, joined bool) (*stream.Links, error) {
	own := address{Share: make([]byte, shareBytes), CPUs: cpuset.Own(), Host: host(), Provider: cfg.Provider}
	own.Form = mesh.Form{LLCM: cfg.Mesh.LLCM, Bulk: cfg.Mesh.Bulk, Sums: stream.SumNone, Beats: cfg.Mesh.Stall > 0}
	_, _ = rand.Read(own.Share) // never fails
	var err error
	if f.window, err = f.ep.openWindow(cfg.Mesh.LLCM, cfg.Mesh.Bulk); err != nil {
		return nil, err
	}
	for i, e := range f.window.places {
		own.Memory[i] = [3]uint64{e.address, e.key, e.n}
	}
	if own.Name, err = f.ep.name(); err != nil {
		return nil, fmt.Errorf("asking for the address of the endpoint: %w", err)
	}
	blob, err := json.Marshal(own)
	if err != nil {
		return nil, fmt.Errorf("encoding the own address: %w", err)
	}
	blobs, err := m.Gather(ctx, blob)
	if err != nil {
		return nil, fmt.Errorf("gathering addresses: %w", err)
	}
	if len(blobs) != m.Size() || !bytes.Equal(blobs[m.Rank()], blob) {
		return nil, fmt.Errorf("gathering addresses: got %d for %d ranks, or this rank's own is missing", len(blobs), m.Size())
	}
	l := &stream.Links{Streams: make([]stream.Stream, m.Size()), Near: make([]bool, m.Size()), Poll: f, NIC: &f.window.nic, Remotes: make([]stream.Remote, m.Size())}
	cpus, token := own.CPUs, sha256.New()
	for i, b := range blobs {
		var a address
		if err := json.Unmarshal(b, &a); err != nil {
			return nil, fmt.Errorf("the address of rank %d: %w", i, err)
		}
		if len(a.Share) != shareBytes || len(a.Name) == 0 || len(a.Name) > mostName {
			return nil, fmt.Errorf("the address of rank %d: a share of %d bytes and a name of %d: want %d, and 1 to %d", i, len(a.Share), len(a.Name), shareBytes, mostName)
		}
		if a.Provider != own.Provider {
			return nil, fmt.Errorf("rank %d uses provider %s, this rank %s: name one for all, by --provider or FAGUS_PROVIDER", i, a.Provider, own.Provider)
		}
		if a.Provider == "shm" && a.Host != own.Host {
			return nil, fmt.Errorf("rank %d is on another host, which provider shm does not reach: name another by --provider or FAGUS_PROVIDER", i)
		}
		if difference := a.Form.Difference(own.Form); difference != "" {
			return nil, fmt.Errorf("rank %d has %s: all must have the same configuration", i, difference)
		}
		_, _ = token.Write(a.Share) // never fails
		if i == int(m.Rank()) {
			continue
		}
		peer, err := f.ep.insert(a.Name)
		if err != nil {
			return nil, fmt.Errorf("the address of rank %d: %w", i, err)
		}
		if a.Memory[0][2] != own.Memory[0][2] || a.Memory[1][2] != own.Memory[1][2] {
			return nil, fmt.Errorf("rank %d has NIC memory of %d and %d bytes: want %d and %d", i, a.Memory[0][2], a.Memory[1][2], own.Memory[0][2], own.Memory[1][2])
		}
		f.links[i] = &link{f: f, rank: i, peer: peer, credits: f.most}
		for part, m := range a.Memory {
			f.links[i].places[part] = exposure{address: m[0], key: m[1], n: m[2]}
		}
		l.Streams[i], l.Remotes[i] = f.links[i], remote{f.links[i]}
		if l.Near[i] = a.Host == own.Host; l.Near[i] {
			cpus.Join(a.CPUs[:])
		}
	}
	f.token = binary.LittleEndian.Uint64(token.Sum(nil))
	if joined {
		// No rank may send before all know it: providers drop what comes from strangers.
		if _, err := m.Gather(ctx, nil); err != nil {
			return nil, fmt.Errorf("waiting until all ranks know all addresses: %w", err)
		}
		l.Processors = cpus.Count()
		if cfg.Mesh.Stall > 0 {
			l.Beats = beats{f}
		}
	}
	return l, nil
}

// host returns a text that is the same for all processes of this host, and for no others.
func host() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		name, _ := os.Hostname() // no name: then all ranks count as ranks of one host
		return name
	}
	return string(bytes.TrimSpace(b))
}
