package memory

import (
	"fmt"
	"math"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestSizes computes sizes for as many ranks as a Rank can number, and at the end of the memory
// that an Offset can address. No memory is allocated.
func TestSizes(t *testing.T) {
	const most = 1<<32 - 4096 - 16
	for _, c := range []struct {
		nodes, llcm, bulk int
		want              string
	}{
		{0, 0, 0, "net: a run of 0 nodes: want 1 to 65536"},
		{1, 0, 0, "131072 0"},
		{4, 0, 1, "131072 8"},
		{5, 0, 0, "163840 0"},
		{65535, 0, 0, "2147450880 0"},
		{65536, 0, 0, "2147483648 0"},
		{65537, 0, 0, "net: a run of 65537 nodes: want 1 to 65536"},
		{65536, 0, most - 1<<31, fmt.Sprintf("2147483648 %d", most-1<<31)},
		{65536, 0, most - 1<<31 + 1, "net: a node has 2147483648 bytes of LLCM and 2147479537 of bulk memory: the sum exceeds 4294963200"},
		{2, 1 << 17, most - 1<<17, fmt.Sprintf("131072 %d", most-1<<17)},
		{2, 1 << 17, most - 1<<17 + 1, "net: a node has 131072 bytes of LLCM and 4294832113 of bulk memory: the sum exceeds 4294963200"},
		{2, 0, math.MaxInt, "net: a node has 131072 bytes of LLCM and 9223372036854775807 of bulk memory: the sum exceeds 4294963200"},
		{2, 1<<32 + 8, 0, "net: a node has 4294967304 bytes of LLCM and 0 of bulk memory: the sum exceeds 4294963200"},
	} {
		llcm, bulk, err := Sizes("net", c.nodes, c.llcm, c.bulk)
		got := fmt.Sprint(llcm, bulk)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%d nodes, LLCM %d, bulk %d: %s, want %s", c.nodes, c.llcm, c.bulk, got, c.want)
		}
		if err == nil {
			limits := Limits(llcm, bulk)
			if off := dimmnet.Offset(limits.LLCM + limits.Bulk); int(off) != limits.LLCM+limits.Bulk {
				t.Errorf("the end of %+v is no offset", limits)
			}
		}
	}
}

// TestSmallLimits checks that no post may be longer than the memory to which it goes.
func TestSmallLimits(t *testing.T) {
	for _, c := range []struct{ llcm, bulk, block, rdma int }{
		{8, 0, 8, 8},
		{4088, 8, 4088, 4088},
		{4096, 1 << 20, 4096, 1 << 20},
		{1 << 17, 0, 4096, 1 << 17},
	} {
		want := dimmnet.Limits{Store: word, Block: c.block, RDMA: c.rdma, LLCM: c.llcm, Bulk: c.bulk}
		if got := Limits(c.llcm, c.bulk); got != want {
			t.Errorf("%d bytes of LLCM and %d of bulk memory: %+v, want %+v", c.llcm, c.bulk, got, want)
		}
	}
}
