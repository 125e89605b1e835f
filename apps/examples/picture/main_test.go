package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/png"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/fagustest"
	"github.com/fagus-dsm/fagus/fagus/npy"
)

// TestCompute compares all points with those of a loop on one rank.
func TestCompute(t *testing.T) {
	const size = 50
	want := make([]uint16, size*size)
	for i := range want {
		want[i] = escape(complex(3*float64(i%size)/size-2.2, 3*float64(i/size)/size-1.5))
	}
	fagustest.Run(t, fagus.Config{Nodes: 3}, func(n *fagus.Node) error {
		got, err := compute(n, size)
		if err == nil && n.Rank() == 0 && !slices.Equal(got, want) {
			err = fmt.Errorf("%d points are %d, want %d", len(got), got, want)
		}
		return err
	})
}

// TestEscape: 0 and -1 are points of the set, 1 is not: 1, 2, 5.
func TestEscape(t *testing.T) {
	for c, want := range map[complex128]uint16{0: limit, -1: limit, 1: 2, 3: 0} {
		if got := escape(c); got != want {
			t.Errorf("%g takes %d steps, want %d", c, got, want)
		}
	}
}

// TestFiles reads what draw and save write.
func TestFiles(t *testing.T) {
	points := []uint16{0, limit, 3, 4}
	drawn, err := draw(points, 2)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(drawn))
	if err != nil {
		t.Fatal(err)
	}
	if light, _, _, _ := picture.At(0, 0).RGBA(); light != 0xffff || picture.Bounds().Dx() != 2 {
		t.Errorf("the picture has bounds %v and light %d, want 2 x 2 points and 65535", picture.Bounds(), light)
	}
	saved, err := save(points, 2)
	if err != nil {
		t.Fatal(err)
	}
	elements := bytes.NewReader(saved)
	header, err := npy.Read(elements)
	if err != nil || !slices.Equal(header.Shape, []int{2, 2}) || header.Type.Kind != 'u' {
		t.Fatalf("%+v, %v", header, err)
	}
	got := make([]uint16, 4)
	if err := binary.Read(elements, binary.NativeEndian, got); err != nil || !slices.Equal(got, points) {
		t.Errorf("%d, %v, want %d", got, err, points)
	}
}
