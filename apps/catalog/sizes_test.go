package catalog_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/dimmnet/capacity"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// prepared prepares a program with flags set.
func prepared(t *testing.T, p catalog.Program, with map[string]string) (*catalog.Job, error) {
	set := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	for _, f := range p.Flags {
		if err := f.Apply(set); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range with {
		if err := set.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	return p.Prepare(catalog.Flags{Context: cli.NewContext(&cli.App{}, set, nil), Nodes: 2})
}

// numbersOf returns the flags of a program that are whole numbers.
func numbersOf(p catalog.Program) (names []string) {
	for _, f := range p.Flags {
		if _, ok := f.(*cli.IntFlag); ok {
			names = append(names, f.Names()[0])
		}
	}
	return names
}

// TestSizes gives every whole number of every program values that are negative, zero, one, or huge,
// alone and two at a time: among them products that overflow to negative and to small positive
// numbers. None may panic; what a machine of 8 GiB cannot hold is refused with exit code 2 or 3, at
// once, whatever else is wrong.
func TestSizes(t *testing.T) {
	// These flags are no sizes: they bound or select, and a value may be any number.
	free := []string{"top", "mandelbrot batch", "p2p batch", "mandelbrot verify"}
	small := capacity.Free{Bytes: 8 << 30, Limit: "the machine's memory"}
	values := []int{math.MinInt, -1, 0, 1, 1 << 31, 1<<32 - 1, 1 << 32, 2000000000, 3037000500, 6074001000, 99999999999, 1 << 61, math.MaxInt - 1, math.MaxInt}
	tried := 0
	for _, p := range catalog.Programs() {
		names := numbersOf(p)
		for _, name := range names {
			for _, value := range values {
				for _, other := range names {
					for _, second := range []int{1, 3, 1 << 31, math.MaxInt} {
						with := map[string]string{name: strconv.Itoa(value)}
						if other != name {
							with[other] = strconv.Itoa(second)
						} else if second != 1 {
							continue
						}
						tried++
						j, err := prepared(t, p, with)
						if err == nil {
							err = j.CheckMemory(small, 1)
						}
						what := fmt.Sprintf("%s %v", p.Name, with)
						switch {
						case err != nil && !usage.Is(err) && !errors.Is(err, syscall.ENOMEM):
							t.Errorf("%s: %v: want a usage error, or one of memory", what, err)
						case err != nil && strings.Contains(err.Error(), "%!"):
							t.Errorf("%s: %v", what, err)
						case err == nil && value >= 1<<61 && !slices.Contains(free, name) && !slices.Contains(free, p.Name+" "+name):
							t.Errorf("%s is accepted", what)
						case err == nil && value < 0:
							t.Errorf("%s is accepted", what)
						}
					}
				}
			}
		}
	}
	t.Log(tried, "command lines")
}

// TestMemoryIsChecked: the largest size of every program needs no more memory than a small machine
// has, or the program says how much it needs.
func TestMemoryIsChecked(t *testing.T) {
	for _, line := range []string{"sor n", "stencil n", "transpose n", "dgemm n", "matmul n", "p2p rows", "p2p columns", "nstream length", "radix keys", "kmeans points", "pagerank links", "wordcount words", "many variables", "lu n"} {
		name, flag, _ := strings.Cut(line, " ")
		for _, p := range catalog.Programs() {
			if p.Name != name {
				continue
			}
			j, err := prepared(t, p, map[string]string{flag: "10000"})
			if err != nil {
				t.Fatal(err)
			}
			err = j.CheckMemory(capacity.Free{Bytes: 10000, Limit: "x"}, 1)
			if !errors.Is(err, syscall.ENOMEM) || usage.Is(err) || !strings.Contains(err.Error(), "10000 bytes are available (x)") {
				t.Errorf("%s: %v, want an error of memory", line, err)
			}
			if err := j.CheckMemory(capacity.Free{Bytes: 1 << 40, Limit: "x"}, 1); err != nil {
				t.Errorf("%s: %v with 1 TiB", line, err)
			}
		}
	}
}
