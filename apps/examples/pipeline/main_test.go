package main

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/fagustest"
)

// TestPipeline: documents are as after all stages by one rank, with fewer ranks than stages and
// with more.
func TestPipeline(t *testing.T) {
	const documents = 20
	var want []document
	for d := range source(documents) {
		for _, stage := range stages() {
			stage(&d)
		}
		want = append(want, d)
	}
	for _, nodes := range []int{1, 3, 5} {
		fagustest.Run(t, fagus.Config{Nodes: nodes}, func(n *fagus.Node) error {
			got, err := pipeline(n, documents)
			if err == nil && n.Rank() == nodes-1 && !reflect.DeepEqual(got, want) {
				err = fmt.Errorf("of %d ranks: %d documents, want %d equal ones: %+v, want %+v", nodes, len(got), len(want), got, want)
			}
			return err
		})
	}
}
