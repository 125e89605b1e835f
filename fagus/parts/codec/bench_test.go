package codec_test

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/fagus/parts/codec"
)

// BenchmarkRecords encodes and decodes 1000 structs with a string and a slice, also by gob: in one
// stream, and in a stream for each.
func BenchmarkRecords(b *testing.B) {
	type point struct {
		Name string
		X    []float64
		N    int64
	}
	points := make([]point, 1000)
	for i := range points {
		points[i] = point{fmt.Sprintf("point %d", i), make([]float64, 4), int64(i)}
	}
	b.Run("codec", func(b *testing.B) { coded(b, points) })
	b.Run("gob", func(b *testing.B) {
		for b.Loop() {
			var stream bytes.Buffer
			if err := gob.NewEncoder(&stream).Encode(points); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(stream.Len()))
			var got []point
			if err := gob.NewDecoder(&stream).Decode(&got); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("gob-each", func(b *testing.B) {
		for b.Loop() {
			for _, p := range points {
				var stream bytes.Buffer
				if err := gob.NewEncoder(&stream).Encode(p); err != nil {
					b.Fatal(err)
				}
				var got point
				if err := gob.NewDecoder(&stream).Decode(&got); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// BenchmarkKinds encodes and decodes 1000 elements, or entries, of several types.
func BenchmarkKinds(b *testing.B) {
	texts, numbers, counts := make([]string, 1000), make([]int64, 1000), map[string]int{}
	for i := range texts {
		texts[i] = fmt.Sprintf("word %d", i)
		counts[texts[i]] = i
	}
	b.Run("strings", func(b *testing.B) { coded(b, texts) })
	b.Run("numbers", func(b *testing.B) { coded(b, numbers) })
	b.Run("map", func(b *testing.B) { coded(b, counts) })
}

func coded[T any](b *testing.B, v T) {
	c, err := codec.Of[T]()
	if err != nil {
		b.Fatal(err)
	}
	var buffer []byte
	for b.Loop() {
		if buffer, err = c.Append(buffer[:0], v); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(buffer)))
		if _, err := c.DecodeAll(buffer); err != nil {
			b.Fatal(err)
		}
	}
}
