package rules

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// graph is the control flow of a function without the paths that end in a panic or return an error.
type graph struct {
	m     *model
	succs map[*ssa.BasicBlock][]*ssa.BasicBlock
	// after maps a block to its postdominators: the blocks on all paths from it to a return.
	after map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool
}

func newGraph(m *model, fn *ssa.Function) *graph {
	ends := make(map[*ssa.BasicBlock]bool) // blocks from which a return without error is reachable
	for grown := true; grown; {
		grown = false
		for _, b := range fn.Blocks {
			if ends[b] {
				continue
			}
			ret, returns := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
			if returns && !m.fails(ret) || slices.ContainsFunc(m.goesOn(b), func(s *ssa.BasicBlock) bool { return ends[s] }) {
				ends[b], grown = true, true
			}
		}
	}
	g := &graph{m: m, succs: make(map[*ssa.BasicBlock][]*ssa.BasicBlock)}
	for _, b := range fn.Blocks {
		for _, s := range m.goesOn(b) {
			if ends[b] && ends[s] {
				g.succs[b] = append(g.succs[b], s)
			}
		}
	}
	g.findAfter(fn, ends)
	return g
}

// findAfter fills field after: it starts with all blocks and removes blocks until nothing changes.
func (g *graph) findAfter(fn *ssa.Function, ends map[*ssa.BasicBlock]bool) {
	g.after = make(map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool)
	for b := range ends {
		g.after[b] = make(map[*ssa.BasicBlock]bool)
		for other := range ends {
			g.after[b][other] = other == b || len(g.succs[b]) > 0
		}
	}
	for shrunk := true; shrunk; {
		shrunk = false
		for _, b := range slices.Backward(fn.Blocks) {
			for other, is := range g.after[b] {
				if is && other != b && slices.ContainsFunc(g.succs[b], func(s *ssa.BasicBlock) bool { return !g.after[s][other] }) {
					g.after[b][other], shrunk = false, true
				}
			}
		}
	}
}

// join returns the first block where all paths from b meet again, or nil.
func (g *graph) join(b *ssa.BasicBlock) *ssa.BasicBlock {
	for other, is := range g.after[b] {
		if is && other != b && g.size(other) == g.size(b)-1 {
			return other
		}
	}
	return nil
}

// size returns the number of postdominators of b, b included.
func (g *graph) size(b *ssa.BasicBlock) (n int) {
	for _, is := range g.after[b] {
		if is {
			n++
		}
	}
	return n
}

// side describes one side of a branch up to the block where the sides meet again.
type side struct {
	sequences map[string]bool // the sequences of collective calls, one per path
	calls     map[ssa.CallInstruction]bool
	blocks    int
	unsure    bool // it calls a function whose calls are not known
}

// maxBlocks bounds the blocks visited on one side.
const maxBlocks = 10000

// ways follows all paths to join, through each loop at most once; nil if the paths are too many.
func (g *graph) ways(from, join *ssa.BasicBlock) *side {
	s := &side{sequences: make(map[string]bool), calls: make(map[ssa.CallInstruction]bool)}
	g.way(s, from, join, "", make(map[*ssa.BasicBlock]int))
	if s.blocks > maxBlocks || s.unsure {
		return nil
	}
	return s
}

func (g *graph) way(s *side, b, join *ssa.BasicBlock, sequence string, visits map[*ssa.BasicBlock]int) {
	if s.blocks > maxBlocks {
		return
	}
	if b == join {
		s.sequences[sequence] = true
		return
	}
	if s.blocks++; visits[b] == 2 { // a loop's condition is visited twice
		return
	}
	visits[b]++
	g.rest(s, b, 0, join, sequence, visits)
	visits[b]--
}

// rest follows the paths from instruction from of block b on.
func (g *graph) rest(s *side, b *ssa.BasicBlock, from int, join *ssa.BasicBlock, sequence string, visits map[*ssa.BasicBlock]int) {
	for i, instr := range b.Instrs[from:] {
		c, ok := instr.(ssa.CallInstruction)
		if _, isGo := instr.(*ssa.Go); !ok || isGo {
			continue
		}
		made, sure := g.m.waysThrough(c.Common())
		s.unsure = s.unsure || !sure
		if only := slices.Collect(maps.Keys(made)); len(only) == 1 && only[0] == "" || !sure {
			continue
		}
		for _, c := range g.m.collecting(instr) {
			s.calls[c] = true
		}
		for more := range made {
			s.blocks++
			g.rest(s, b, from+i+1, join, sequence+more, visits)
		}
		return
	}
	if s.blocks > maxBlocks {
		return
	}
	for _, succ := range g.succs[b] {
		g.way(s, succ, join, sequence, visits)
	}
	if len(g.succs[b]) == 0 {
		s.sequences[sequence] = true
	}
}
