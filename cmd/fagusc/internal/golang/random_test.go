package golang

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

var (
	wantedNests = flag.Int("nests", 0, "how many random loop nests TestRandomPrograms tries; 0: 300 in long tests, otherwise 100")
	firstSeed   = flag.Uint64("seed", 1, "the first of their seeds; each has the next")
	bound       = flag.Duration("bound", 0, "TestRandomPrograms begins no batch after this time; 0: no bound")
)

// batch is the number of nests that are generated, and compiled, at once.
const batch = 1200

// TestRandomPrograms compares random functions with their parallel versions. A function has 1 to 6
// loop nests. For 100000 nests run
//
//	go test ./cmd/fagusc/internal/golang -run TestRandomPrograms -nests 100000 -timeout 3h -v
func TestRandomPrograms(t *testing.T) {
	longtest.Third(t)
	if testing.Short() {
		t.Skip("compiles programs")
	}
	wanted := *wantedNests
	if wanted == 0 {
		wanted = longtest.Cases(300, 100)
	}
	begun := time.Now()
	var all counts
	for seed := *firstSeed; all.nests < wanted && (*bound == 0 || time.Since(begun) < *bound); {
		count := min(batch, 4*(wanted-all.nests)+20)
		all.add(testBatch(t, seed, count, wanted-all.nests))
		seed += uint64(count)
		if t.Failed() {
			return
		}
		t.Logf("%d nests in %d functions ran in parallel, in %d trials; %d nests were refused or are not needed; next seed %d", all.nests, all.functions, all.trials, all.others, seed)
	}
	t.Logf("%v steps", all.seen)
	for f, count := range all.seen {
		if count < all.nests/100 {
			t.Errorf("%d nests have only %d steps of kind %d", all.nests, count, f)
		}
	}
}

type counts struct {
	nests, functions, trials, others int
	seen                             [features]int // steps
}

// The kinds of steps that TestRandomPrograms counts.
const (
	divided  = iota // a part of a loop that is divided at an iteration
	reduced         // a loop that reduces elements
	alone           // a loop that one rank executes without a mark
	features        // the number of kinds
)

// tally counts the steps of a schedule by kind.
func (c *counts) tally(s *loops.Schedule) {
	for n, step := range s.Steps {
		switch {
		case n.Loop != nil && n.Loop.Part != nil && step.Kind == loops.Parallel:
			c.seen[divided]++
		case len(step.Elements()) > 0:
			c.seen[reduced]++
		case n.Loop != nil && step.Kind == loops.Serial && !n.Loop.Serial:
			c.seen[alone]++
		}
	}
}

func (c *counts) add(o counts) {
	c.nests += o.nests
	c.functions += o.functions
	c.trials += o.trials
	c.others += o.others
	for i := range c.seen {
		c.seen[i] += o.seen[i]
	}
}

// elementTypes are the types of elements. Sums of integers do not depend on their order.
var elementTypes = []string{"= int64", "int8", "= int32", "int64", "int16"}

// testBatch tests functions of the nests of count seeds that can be parallel. most limits the
// number of nests.
func testBatch(t *testing.T, seed uint64, count, most int) (c counts) {
	dir := module(t)
	helpers := source(t, "random_helpers.go.txt", "package main", "package main\n\ntype T "+elementTypes[seed/7%uint64(len(elementTypes))])
	var single []string
	nests := make([]loopNest, count)
	for i := range nests {
		nests[i] = randomNest(seed + uint64(i))
		single = append(single, function(fmt.Sprintf("F%d", seed+uint64(i)), nests[i:i+1]))
	}
	f := loaded(t, dir, seed, helpers, single)
	good := make(map[bool][]loopNest) // by local
	for _, fn := range f.Functions {
		n, err := strconv.ParseUint(fn.Name[1:], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if c.nests == most {
			break
		}
		if s, err := fn.Plan(); err == nil {
			c.tally(s.Schedule)
			good[nests[n-seed].local] = append(good[nests[n-seed].local], nests[n-seed])
			c.nests++
		}
	}
	c.others = count - c.nests
	r := rand.New(rand.NewPCG(seed, 10))
	var several []string
	var sizes []int
	for _, local := range []bool{false, true} {
		for rest := good[local]; len(rest) > 0; {
			size := min(1+r.IntN(6), len(rest))
			for k, exchanges := 0, false; k < size; k++ {
				if exchanges && rest[k].exchanges {
					size = k
				} else {
					exchanges = exchanges || rest[k].exchanges
				}
			}
			several = append(several, function(fmt.Sprintf("G%d", len(several)), rest[:size]))
			sizes = append(sizes, size)
			rest = rest[size:]
		}
	}
	out, err := loaded(t, dir, seed, helpers, several).Emit(Options{Spend: int64(seed % 2)})
	if out == nil {
		t.Fatalf("seeds from %d: %v", seed, err)
	}
	write(t, dir, "random_fagus.go", out)
	var table strings.Builder
	for i, size := range sizes {
		name := fmt.Sprintf("G%d", i)
		if !bytes.Contains(out, []byte("func "+name+"On(")) { // these nests are refused together
			c.nests, c.others = c.nests-size, c.others+size
			continue
		}
		fmt.Fprintf(&table, "{%q, %s, %sOn},\n", name, name, name)
		c.functions++
	}
	main := source(t, "random_main.go.txt", "PARAMETERS", parameters, "TRIALS", "1", "SEED", fmt.Sprint(seed))
	write(t, dir, "main.go", []byte(main+"\nvar functions = []entry{\n"+table.String()+"}\n"))
	said, err := run(t, dir, ".", "-gcflags=-N -l")
	if err == nil {
		_, err = fmt.Sscan(string(said), &c.trials)
	}
	if err != nil {
		keep := filepath.Join(os.TempDir(), fmt.Sprintf("fagusc-random-%d", seed))
		_ = os.RemoveAll(keep)
		_ = os.CopyFS(keep, os.DirFS(dir))
		t.Errorf("seeds from %d: %v; the program is in %s\n%s", seed, err, keep, said)
	}
	_ = os.RemoveAll(dir) // not only at the end of the test
	return c
}

// source returns a file of testdata with replacements.
func source(t *testing.T, name string, replacements ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(replacements...).Replace(string(text))
}

// loaded writes functions to a file, and loads it.
func loaded(t *testing.T, dir string, seed uint64, helpers string, functions []string) *File {
	t.Helper()
	write(t, dir, "random.go", []byte(helpers+strings.Join(functions, "")))
	files, err := Load(dir)
	if err != nil {
		t.Fatalf("seeds from %d: %v", seed, err)
	}
	return files[0]
}
