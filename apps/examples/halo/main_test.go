package main

import (
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/fagustest"
)

// TestReact compares the field with that of a computation without Fagus.
func TestReact(t *testing.T) {
	const size, steps = 24, 40
	want := alone(size, steps)
	fagustest.Run(t, fagus.Config{Nodes: 3}, func(n *fagus.Node) error {
		got, err := react(n, size, steps)
		for i, x := range got {
			if math.Abs(x-want[i]) > 1e-12 {
				return fmt.Errorf("row %d, column %d: %g, want %g", i/size, i%size, x, want[i])
			}
		}
		if n.Rank() == 0 && err == nil && len(got) != size*size {
			err = fmt.Errorf("%d points, want %d", len(got), size*size)
		}
		return err
	})
}

func TestDraw(t *testing.T) {
	name := filepath.Join(t.TempDir(), "halo.png")
	if err := draw(name, []float64{0, 0.25, 1, 0}, 2); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if light, _, _, _ := picture.At(0, 1).RGBA(); light != 0xffff || picture.Bounds().Dx() != 2 {
		t.Errorf("the picture has bounds %v and light %d, want 2 x 2 points and 65535", picture.Bounds(), light)
	}
}

// alone makes the steps on plain slices.
func alone(size, steps int) []float64 {
	u, v := make([]float64, size*size), make([]float64, size*size)
	for i := range size {
		begin(u[i*size:(i+1)*size], v[i*size:(i+1)*size], i)
	}
	around := func(f []float64, i, j int) float64 {
		at := func(i, j int) float64 { return f[(i+size)%size*size+(j+size)%size] }
		return at(i-1, j) + at(i+1, j) + at(i, j-1) + at(i, j+1) - 4*at(i, j)
	}
	for range steps {
		nextU, nextV := make([]float64, size*size), make([]float64, size*size)
		for k := range u {
			i, j, r := k/size, k%size, u[k]*v[k]*v[k]
			nextU[k] = u[k] + 0.16*around(u, i, j) - r + 0.035*(1-u[k])
			nextV[k] = v[k] + 0.08*around(v, i, j) + r - 0.1*v[k]
		}
		u, v = nextU, nextV
	}
	return v
}
