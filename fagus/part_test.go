package fagus_test

import (
	"os"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/internal/guard"
)

// TestPart: a Part has the elements of Slice, and ends where it ends.
func TestPart(t *testing.T) {
	levels := []fagus.Check{fagus.CheckOff}
	if guard.Supported() == nil {
		levels = append(levels, fagus.CheckOn)
	}
	for _, check := range levels {
		succeed(t, fagus.Config{Nodes: 1, Check: check}, func(n *fagus.Node) error {
			a, err := fagus.NewArray[int32](n, "a", 5000)
			if err != nil {
				return err
			}
			var wants []fagus.Request
			for i, cut := range [][2]int{{0, 1000}, {1000, 1024}, {1024, 2048}, {2048, 5000}} {
				v, err := n.Bind(string(rune('a'+i)), a.Range(cut[0], cut[1]))
				if err != nil {
					return err
				}
				wants = append(wants, v.Write())
			}
			return n.Set(wants...).Do(func() {
				for _, c := range [][2]int{{0, 1000}, {3, 7}, {1000, 1024}, {1024, 2048}, {990, 1001}, {0, 5000}, {4999, 5000}, {2047, 2048}} {
					part := a.Part(c[0], c[1])
					if len(part) != c[1]-c[0] || cap(part) != len(part) {
						t.Errorf("check %v: the Part %d has %d elements and room for %d", check, c, len(part), cap(part))
					}
					for i := range part {
						part[i]++
						a.Slice()[c[0]+i] *= 3
						if part[i] != a.Slice()[c[0]+i] {
							t.Fatalf("check %v: element %d is %d in the Slice, and %d in the Part %d", check, c[0]+i, a.Slice()[c[0]+i], part[i], c)
						}
					}
				}
				for _, c := range [][2]int{{-1, 3}, {5, 4}, {4999, 5001}} {
					func() {
						defer func() {
							if recover() == nil {
								t.Errorf("check %v: the Part %d is no panic", check, c)
							}
						}()
						a.Part(c[0], c[1])
					}()
				}
				if len(a.Part(7, 7)) != 0 {
					t.Errorf("check %v: an empty Part has elements", check)
				}
			})
		})
	}
}

// TestPartsOfOnePage: each Part is open while its variable is, though one page has them all.
func TestPartsOfOnePage(t *testing.T) {
	needGuard(t)
	type exhibit struct {
		a           *fagus.Array[float64]
		left, right *fagus.SyncVar
	}
	for _, c := range []struct {
		what, want string // in the error after the verb, which needs amd64; "" if there is none
		sharing    int    // of 2 variables
		program    func(n *fagus.Node, x exhibit) error
	}{
		{"a read", ` a[7], which sync variable "right" guards, without holding it; acquire`, 0, func(n *fagus.Node, x exhibit) error {
			return n.Set(x.left.Write()).Do(func() { x.a.Part(0, 5)[0] = x.a.Part(5, 10)[2] })
		}},
		{"a read through the Slice", "", 2, func(n *fagus.Node, x exhibit) error {
			return n.Set(x.left.Write()).Do(func() { x.a.Slice()[0] = x.a.Slice()[7] })
		}},
		{"a Part of two variables", "", 2, func(n *fagus.Node, x exhibit) error {
			return n.Set(x.left.Write()).Do(func() { x.a.Part(0, 10)[0] = 1 })
		}},
		{"a write", ` a[5], which sync variable "right" guards and this rank holds shared; acquire it with fagus.Exclusive`, 0, func(n *fagus.Node, x exhibit) error {
			return n.Set(x.left.Write(), x.right.Read()).Do(func() { x.a.Part(5, 7)[0] = x.a.Part(0, 5)[0] + 1 })
		}},
		{"a Part of before Acquire", "", 0, func(n *fagus.Node, x exhibit) error {
			part := x.a.Part(2, 5)
			return n.Set(x.left.Write()).Do(func() { part[0] = 1 })
		}},
		{"a read after Release", ` a[2], which sync variable "left" guards, without holding it (it was released at `, 0, func(n *fagus.Node, x exhibit) error {
			part := x.a.Part(2, 5)
			if err := n.Set(x.left.Write()).Do(func() { part[0] = 1 }); err != nil {
				return err
			}
			return n.Set(x.right.Write()).Do(func() { x.a.Part(5, 6)[0] = part[0] })
		}},
		{"a read after Update", "", 0, func(n *fagus.Node, x exhibit) error {
			n.Set(x.left.Read()).Do(func() {})
			n.Update()
			return n.Set(x.right.Write()).Do(func() { x.a.Part(5, 6)[0] = x.a.Part(0, 3)[2] })
		}},
		{"a Copy", ` a[5], which sync variable "right" guards`, 0, func(n *fagus.Node, x exhibit) error {
			return n.Set(x.left.Read()).Do(func() { x.a.Copy() })
		}},
		{"a Copy of what is held", "", 0, func(n *fagus.Node, x exhibit) error {
			return n.Set(x.left.Read(), x.right.Write()).Do(func() { x.a.Copy() })
		}},
		{"a Part after Rebind", ` a[4], which sync variable "right" guards, without holding it`, 0, func(n *fagus.Node, x exhibit) error {
			part := x.a.Part(0, 5)
			n.Rebind(x.left.To(x.a.Range(0, 3)), x.right.To(x.a.Range(3, 10)))
			return n.Set(x.left.Write()).Do(func() {
				part[4] = 1 // not found: the Part is of before
				part[4] = 0
				part[0] = x.a.Part(4, 5)[0]
			})
		}},
	} {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			report, err := runFor(t, fagus.Config{Nodes: 1, Mode: mode, Check: fagus.CheckOn}, func(n *fagus.Node) error {
				var x exhibit
				var err error
				if x.a, err = fagus.NewArray[float64](n, "a", 10); err != nil {
					return err
				}
				if x.left, err = n.Bind("left", x.a.Range(0, 5)); err != nil {
					return err
				}
				if x.right, err = n.Bind("right", x.a.Range(5, 10)); err != nil {
					return err
				}
				return c.program(n, x)
			})
			switch {
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "fagus/part_test.go:")):
				t.Errorf("%s, %v mode: the error is %v, want one with %q and its line", c.what, mode, err, c.want)
			case c.want == "" && err != nil:
				t.Errorf("%s, %v mode: %v", c.what, mode, err)
			case c.want == "" && *report.Coverage != (fagus.Coverage{Variables: 2, Sharing: c.sharing}):
				t.Errorf("%s, %v mode: %d of %d variables share pages, want %d of 2", c.what, mode, report.Coverage.Sharing, report.Coverage.Variables, c.sharing)
			}
		}
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(maps), "memfd:fagus"); n > 0 {
		t.Errorf("%d mappings are left over", n)
	}
}

// TestTouchedParts: what a program reads through a Part is not reported as never touched.
func TestTouchedParts(t *testing.T) {
	needGuard(t)
	const size = 3 * 4096
	for _, reads := range []bool{false, true} {
		report := succeed(t, fagus.Config{Nodes: 2, Check: fagus.CheckOn}, func(n *fagus.Node) error {
			a, err := fagus.NewArray[byte](n, "a", size+9)
			if err != nil {
				return err
			}
			v, err := n.Bind("v", a.Range(9, size+9))
			if err != nil {
				return err
			}
			if n.Rank() == 0 {
				n.Set(v.Write()).Do(func() {
					for i := range a.Part(9, size+9) {
						a.Part(9, size+9)[i] = 1
					}
				})
			}
			n.Fence()
			sum := byte(0)
			return n.Set(v.Read()).Do(func() {
				for i := 9; reads && i < size+9; i++ {
					sum += a.Part(i, i+1)[0]
				}
			})
		})
		text := report.String()
		if found := strings.Contains(text, `never touched: 12288 of 12288 bytes that were transferred for "v"`); found == reads {
			t.Errorf("the program reads the Part: %v, and the advice is\n%s", reads, text)
		}
	}
}
