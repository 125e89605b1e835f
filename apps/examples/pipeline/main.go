// Command pipeline passes documents through stages that different ranks do at the same time.
//
//	go run . --nodes 3 --mode threaded
//
// The ranks divide the stages. A parts.Channel joins a rank to the next one. It carries values of
// any type and size, here structs with strings, slices and maps. A rank that is faster than the
// next one waits when the channel is full. In threaded mode a document goes on at once; in phase
// mode every Send and every Receive is a phase of all ranks.
package main

import (
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
	"github.com/fagus-dsm/fagus/fagus/program"
)

var documents = flag.Int("documents", 50, "pass `N` documents through the stages")

func main() { program.App{About: "passes documents through stages", Run: run}.Main() }

// document is what the stages fill in.
type document struct {
	Number int
	Text   string
	Words  []string
	Counts map[string]int
	Most   string // the most frequent word, the first of several by the alphabet
}

// stages returns what is done with each document, in this order.
func stages() []func(d *document) {
	return []func(d *document){
		func(d *document) { d.Text = strings.ToLower(d.Text) },
		func(d *document) { d.Words = strings.Fields(d.Text) },
		func(d *document) {
			d.Counts = make(map[string]int)
			for _, word := range d.Words {
				d.Counts[word]++
			}
		},
		func(d *document) {
			slices.Sort(d.Words)
			for _, word := range d.Words {
				if d.Counts[word] > d.Counts[d.Most] {
					d.Most = word
				}
			}
		},
	}
}

// run runs once as every rank.
func run(n *fagus.Node) error {
	done, err := pipeline(n, *documents)
	for _, d := range done {
		fmt.Printf("document %d: %d words, most of them %q\n", d.Number, len(d.Words), d.Most)
	}
	return err
}

// pipeline returns the documents after all stages, in order, at the last rank.
func pipeline(n *fagus.Node, documents int) (done []document, err error) {
	links := make([]*parts.Channel[document], n.Nodes()-1) // links[r] leads from rank r to rank r+1
	for r := range links {                                 // every rank makes all channels
		if links[r], err = parts.NewChannel[document](n, fmt.Sprint("link.", r), 4, 1); err != nil {
			return nil, err
		}
	}
	in := source(documents)
	if n.Rank() > 0 {
		in = links[n.Rank()-1].All()
	}
	lo, hi := parts.Block(len(stages()), n.Nodes(), n.Rank()) // a rank may have none: it passes on
	for d, err := range in {
		if err != nil {
			return nil, err
		}
		for _, stage := range stages()[lo:hi] {
			stage(&d)
		}
		n.Spend(fagus.Time((hi-lo)*len(d.Text)) * 10 * fagus.Nanosecond) // on a simulated network
		if n.Rank() == n.Nodes()-1 {
			done = append(done, d)
		} else if err := links[n.Rank()].Send(d); err != nil {
			return nil, err
		}
	}
	if n.Rank() < n.Nodes()-1 {
		err = links[n.Rank()].Close() // the next rank's loop ends
	}
	return done, err
}

// source returns documents with random words.
func source(documents int) iter.Seq2[document, error] {
	names := strings.Fields("Beech Oak Ash Elm Lime Maple Birch Alder Hazel Yew")
	return func(yield func(document, error) bool) {
		for number := range documents {
			random := rand.New(rand.NewPCG(1, uint64(number)))
			d := document{Number: number}
			for range 5 + random.IntN(100) {
				d.Text += names[random.IntN(len(names))] + " "
			}
			if !yield(d, nil) {
				return
			}
		}
	}
}
