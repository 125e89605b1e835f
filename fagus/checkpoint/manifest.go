package checkpoint

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
)

// Format names the format of manifests and parts.
const Format = "fagus.checkpoint/v1"

// Manifest describes a checkpoint.
type Manifest struct {
	Format string `json:"format"`
	Number uint64 `json:"number"`
	// Program is Config.Program.
	Program string             `json:"program,omitempty"`
	Made    time.Time          `json:"made"`
	Nodes   int                `json:"nodes"`           // ranks of the job that made it
	State   json.RawMessage    `json:"state"`           // of the program
	Loop    fagus.SavedLoop    `json:"loop,omitzero"`   // the loop whose steps State counts
	Input   []string           `json:"input,omitempty"` // Config.Input
	Arrays  []fagus.SavedArray `json:"arrays"`
	Parts   []Part             `json:"parts"` // by rank

	start uint32 // Cut.Start
}

// Part describes what one rank saved.
type Part struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Index uint32 `json:"index"` // the checksum of its index
	// Earlier are the parts of earlier checkpoints that have some of its data.
	Earlier []string `json:"earlier,omitempty"`
}

// mostManifest bounds the bytes of a manifest that is read.
const mostManifest = 64 << 20

// encode returns the object: a line of JSON, and a line with its checksum.
func (m *Manifest) encode() ([]byte, error) {
	text, err := json.Marshal(m)
	if err == nil && len(text)+2*sha256.Size+2 > mostManifest {
		err = fmt.Errorf("its manifest has %d bytes: want at most %d: the state is too large, or there are too many parts", len(text), mostManifest)
	}
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	return append(append(append(text, '\n'), hex.EncodeToString(sum[:])...), '\n'), nil
}

// decodeManifest decodes the manifest with a number.
func decodeManifest(b []byte, number uint64) (*Manifest, error) {
	text, rest, ok := bytes.Cut(b, []byte("\n"))
	sum := sha256.Sum256(text)
	if !ok || string(rest) != hex.EncodeToString(sum[:])+"\n" {
		return nil, errors.New("its checksum is wrong: it is damaged")
	}
	m := new(Manifest)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, err
	}
	if m.Format != Format {
		return nil, fmt.Errorf("its format is %q: want %q", m.Format, Format)
	}
	if m.Number != number || m.Nodes != len(m.Parts) {
		return nil, fmt.Errorf("it says that it is number %d, of %d ranks and %d parts", m.Number, m.Nodes, len(m.Parts))
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	return m, nil
}

// check returns an error if a field that readers rely on has a value that no Keeper writes.
func (m *Manifest) check() error {
	for rank, p := range m.Parts {
		if want := partName(m.Number, rank); p.Name != want {
			return fmt.Errorf("it calls the part of rank %d %q: want %q", rank, p.Name, want)
		}
	}
	for _, a := range m.Arrays {
		if a.Bytes < 0 || a.Element < 1 || a.Bytes%a.Element != 0 {
			return fmt.Errorf("array %q has %d bytes, in elements of %d", a.Name, a.Bytes, a.Element)
		}
	}
	return nil
}

// ReadManifest reads the manifest of a checkpoint.
func ReadManifest(ctx context.Context, s Store, number uint64) (*Manifest, error) {
	name := manifestName(number)
	m, err := readManifest(ctx, s, name, number)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %s in %v: %w", name, s, err)
	}
	return m, nil
}

func readManifest(ctx context.Context, s Store, name string, number uint64) (*Manifest, error) {
	r, err := s.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if r.Size() > mostManifest {
		return nil, fmt.Errorf("it has %d bytes: want at most %d", r.Size(), mostManifest)
	}
	b := make([]byte, r.Size())
	if err := readAt(r, b, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return decodeManifest(b, number)
}

// Numbers returns the numbers of all checkpoints in a store that have a manifest, in order.
func Numbers(ctx context.Context, s Store) ([]uint64, error) {
	all, err := s.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %v: %w", s, err)
	}
	var numbers []uint64
	for _, o := range all {
		if number, what := parseName(o.Name); what == aManifest {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

func manifestName(number uint64) string { return fmt.Sprintf("c%08d.manifest", number) }

func partName(number uint64, rank int) string {
	return fmt.Sprintf("c%08d-%05d.part", number, rank)
}

type kind uint8

const (
	unknown kind = iota
	aManifest
	aPart
)

// mostNumber bounds the numbers of checkpoints.
const mostNumber = 1 << 62

// parseName returns the number of the checkpoint to which an object belongs, below mostNumber.
func parseName(name string) (number uint64, what kind) {
	var rank int
	if n, _ := fmt.Sscanf(name, "c%d.manifest", &number); n == 1 && name == manifestName(number) {
		what = aManifest
	} else if n, _ := fmt.Sscanf(name, "c%d-%d.part", &number, &rank); n == 2 && rank >= 0 && name == partName(number, rank) {
		what = aPart
	}
	if what == unknown || number == 0 || number >= mostNumber {
		return 0, unknown
	}
	return number, what
}
