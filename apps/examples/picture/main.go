// Command picture computes the Mandelbrot set, and writes it as a picture and as numbers for NumPy.
//
//	go run . --nodes 4    # writes picture.png and picture.npy
//	python3 -c "import numpy; print(numpy.load('picture.npy').max())"
//
// Some rows take far longer than others. So the ranks take batches of rows from a parts.Queue as
// they become free. Each batch has a sync variable of its own, and all lie in one shared array. At
// the end rank 0 reads the whole array, and writes the files.
package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"reflect"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/npy"
	"github.com/fagus-dsm/fagus/fagus/parts"
	"github.com/fagus-dsm/fagus/fagus/program"
)

var (
	size = flag.Int("size", 256, "a picture of `N` rows and columns")
	name = flag.String("name", "picture", "write `FILE`.png and FILE.npy")
)

func main() { program.App{About: "draws the Mandelbrot set", Run: run}.Main() }

const limit = 1000 // steps

// run runs once as every rank.
func run(n *fagus.Node) error {
	points, err := compute(n, *size)
	if err != nil || n.Rank() > 0 {
		return err
	}
	inside := 0
	for _, steps := range points {
		if steps == limit {
			inside++
		}
	}
	fmt.Println(inside, "points of the set")
	drawn, err := draw(points, *size)
	if err != nil {
		return err
	}
	saved, err := save(points, *size)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(*name+".png", drawn, 0o666), os.WriteFile(*name+".npy", saved, 0o666))
}

// compute returns the steps of all points, row by row, at rank 0.
func compute(n *fagus.Node, size int) (result []uint16, err error) {
	points, err := fagus.NewArray[uint16](n, "points", size*size)
	if err != nil {
		return nil, err
	}
	queue, err := parts.NewQueue(n, "rows", size, 8) // batches of 8 rows
	if err != nil {
		return nil, err
	}
	wants := make([]fagus.Request, queue.Batches()) // by batch
	for b := range wants {
		lo, hi := queue.Batch(b)
		v, err := n.Bind(fmt.Sprint("rows.", b), points.Range(lo*size, hi*size))
		if err != nil {
			return nil, err
		}
		wants[b] = v.Write()
	}
	own := make([]uint16, size*size) // private: a rank computes while it holds nothing
	queue.Each(func(b int) error {
		steps := 0
		for lo, hi := queue.Batch(b); lo < hi; lo++ {
			for j := range size {
				own[lo*size+j] = escape(complex(3*float64(j)/float64(size)-2.2, 3*float64(lo)/float64(size)-1.5))
				steps += int(own[lo*size+j])
			}
		}
		n.Spend(fagus.Time(steps) * 5 * fagus.Nanosecond) // on a simulated network
		return n.Err()
	}, parts.Results{
		Want: func(b int) fagus.Request { return wants[b] },
		Store: func(b int) {
			lo, hi := queue.Batch(b)
			copy(points.Part(lo*size, hi*size), own[lo*size:hi*size])
		},
	})
	_ = n.Fence() // the tenures that store come before the one that reads
	if n.Rank() == 0 {
		n.Set(wants...).Do(func() { result = points.Copy() })
	}
	return result, n.Err() // errors stick: it is enough to check once
}

// escape returns after how many steps of z = z*z + c the absolute value of z is above 2.
func escape(c complex128) (steps uint16) {
	for z := c; steps < limit && real(z)*real(z)+imag(z)*imag(z) <= 4; steps++ {
		z = z*z + c
	}
	return steps
}

// draw returns a PNG picture in which points are the darker the longer they take.
func draw(points []uint16, size int) ([]byte, error) {
	picture := image.NewGray(image.Rect(0, 0, size, size))
	for i, steps := range points {
		picture.Pix[i] = 255 - uint8(min(steps, 255))
	}
	var b bytes.Buffer
	err := png.Encode(&b, picture)
	return b.Bytes(), err
}

// save returns the steps in the format of NumPy.
func save(points []uint16, size int) ([]byte, error) {
	kind, err := npy.TypeOf(reflect.TypeFor[uint16]())
	if err != nil {
		return nil, err
	}
	b := npy.Header{Type: kind, Shape: []int{size, size}}.Append(nil)
	return binary.Append(b, binary.NativeEndian, points)
}
