package parts

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
)

// Pool is a set of tasks that grows while ranks work: a task may add others. Ranks without tasks
// get tasks of other ranks. T is a type that NewArray accepts.
type Pool[T any] struct {
	node     *fagus.Node
	name     string
	capacity int
	begun    bool // Each was called

	// The first Each makes these: the stack and its variable in threaded mode, the boxes in phase
	// mode.
	count   *fagus.Array[stack]
	waiting *fagus.Array[T]
	guard   *fagus.SyncVar
	boxes   *Blocks[T]
}

// NewPool makes an empty pool. At most capacity tasks wait in shared memory at a time. A rank
// keeps the tasks that do not fit, so that a small capacity costs time, and never fails.
func NewPool[T any](n *fagus.Node, name string, capacity int) (*Pool[T], error) {
	if capacity < 1 {
		return nil, fmt.Errorf("parts: pool %q for %d tasks: want at least 1", name, capacity)
	}
	return &Pool[T]{node: n, name: name, capacity: capacity}, nil
}

// Exchange is the work of ranks on other shared data between two tasks, for example to learn the
// best solution that any rank has found. The zero Exchange does nothing.
type Exchange struct {
	// Want returns the requests of this rank. The program must be correct in whichever order ranks
	// are granted them (see fagus.Request.Unordered).
	Want func() []fagus.Request
	// Do is called while the rank holds the variables that Want requested.
	Do func()
}

// Each calls work for tasks until no rank has one. Each rank begins with its tasks first, which
// may differ from rank to rank; work calls add for each new task. Each is collective.
//
//	p, err := parts.NewPool[node](n, "tree", 1000)
//	err = p.Each(root, func(t node, add func(node)) error {
//		for _, child := range expand(t) {
//			add(child)
//		}
//		return nil
//	}, parts.Exchange{})
//
// work makes no collective call, such as Fence, Update, Reduce or NewArray: ranks do different
// numbers of tasks, so the run would fail or wait forever. Nor does it acquire anything: in phase
// mode an Acquire waits for the next call of every other rank, which may be many tasks later. The
// exchange is the place for other shared data. work may call Spend. It may call add until it
// returns, on its own goroutine.
//
// Each rank works on its newest task. In phase mode ranks with few tasks get old and new tasks of
// ranks with many; in threaded mode ranks take the newest task of all. The exchange takes place
// before the first task of a rank, after the last one, and from time to time in between: in
// threaded mode after each task, in phase mode when all ranks meet. They meet in intervals that
// grow while all ranks are busy.
func (p *Pool[T]) Each(first []T, work func(t T, add func(T)) error, x Exchange) error {
	if p.begun {
		if err := p.node.Barrier(); err != nil { // all ranks know that the last call is over
			return err
		}
	} else if err := p.declare(); err != nil {
		return err
	}
	p.begun = true
	tasks := append([]T(nil), first...) // this rank's tasks, the newest last
	if p.node.Mode() == fagus.Threaded {
		return p.takeTurns(tasks, work, x)
	}
	return p.balance(tasks, work, x)
}

// EachInRounds is Each with the same tasks first on all ranks, which are dealt to the ranks in
// turn. It calls Each in the rounds of [fagus.Node.Rounds] of these tasks. So a program that does
// nothing else makes checkpoints. If first depends on the number of ranks, a run resumes only on
// the same number of ranks.
func (p *Pool[T]) EachInRounds(first []T, work func(t T, add func(T)) error, x Exchange) error {
	for lo, hi := range p.node.Rounds(len(first)) {
		var mine []T
		for _, i := range CyclicFrom(lo, hi, p.node.Nodes(), p.node.Rank()) {
			mine = append(mine, first[i])
		}
		if err := p.Each(mine, work, x); err != nil {
			return err
		}
	}
	return p.node.Err()
}

func (p *Pool[T]) declare() (err error) {
	n := p.node
	if n.Mode() == fagus.Phase {
		if p.boxes, err = NewBlocks[T](n, p.name, n.Nodes(), p.room()); err == nil {
			p.boxes.Scratch()
		}
		return err
	}
	if p.count, err = fagus.NewArray[stack](n, p.name+".count", 1); err != nil {
		return err
	}
	if p.waiting, err = fagus.NewArray[T](n, p.name, p.capacity); err != nil {
		return err
	}
	p.count.Scratch()
	p.waiting.Scratch()
	p.guard, err = n.Bind(p.name, p.count.All(), p.waiting.All())
	return err
}

// room is the number of tasks in a box.
func (p *Pool[T]) room() int { return max(1, p.capacity/p.node.Nodes()) }

// stack counts the tasks that threaded mode keeps in shared memory.
type stack struct {
	Top  int64 // tasks on the stack
	Busy int64 // ranks that work on a task, or have tasks that did not fit on the stack
}

// The pauses of a rank that finds the stack empty, in virtual time; real Acquires take longer.
const (
	shortestPause = 10 * fagus.Microsecond
	longestPause  = fagus.Millisecond
)

// takeTurns takes tasks from a stack in shared memory, and in the same tenure pushes those that
// work added. The stack's variable is bound after the program's variables: a rank acquires it
// last.
func (p *Pool[T]) takeTurns(tasks []T, work func(t T, add func(T)) error, x Exchange) error {
	n := p.node
	busy, over := false, false
	// turn exchanges, and pushes this rank's tasks as far as the stack has room. If take is set
	// and the rank then has no task, it takes one.
	turn := func(take bool) error {
		wants := []fagus.Request{p.guard.Write().Unordered()}
		if x.Want != nil {
			wants = append(wants, x.Want()...)
		}
		return n.Set(wants...).Do(func() {
			if x.Do != nil {
				x.Do()
			}
			k, on := &p.count.Slice()[0], p.waiting.Slice()
			fits := min(len(tasks), len(on)-int(k.Top))
			k.Top += int64(copy(on[k.Top:], tasks[len(tasks)-fits:]))
			tasks = tasks[:len(tasks)-fits]
			if take && len(tasks) == 0 && k.Top > 0 {
				k.Top--
				tasks = append(tasks, on[k.Top])
			}
			if now := len(tasks) > 0; now != busy {
				if busy = now; busy {
					k.Busy++
				} else {
					k.Busy--
				}
			}
			over = k.Top == 0 && k.Busy == 0
		})
	}
	if err := turn(false); err != nil {
		return err
	}
	if err := n.Barrier(); err != nil { // all ranks' first tasks are known
		return err
	}
	for pause := shortestPause; ; {
		if err := turn(true); err != nil || over {
			return err
		}
		if len(tasks) == 0 {
			n.Spend(pause)
			pause = min(2*pause, longestPause)
			continue
		}
		pause = shortestPause
		var err error
		if tasks, err = workOnLast(tasks, work); err != nil {
			return err
		}
	}
}

func workOnLast[T any](tasks []T, work func(t T, add func(T)) error) ([]T, error) {
	t := tasks[len(tasks)-1]
	tasks = tasks[:len(tasks)-1]
	err := work(t, func(more T) { tasks = append(tasks, more) })
	return tasks, err
}

// balance works on this rank's own tasks, and meets the other ranks from time to time.
func (p *Pool[T]) balance(tasks []T, work func(t T, add func(T)) error, x Exchange) error {
	n := p.node
	pace, busy := pace{limit: 1}, fagus.Time(0)
	for {
		words, err := fagus.Gather(n, report{len(tasks), busy}.word())
		if err != nil {
			return err
		}
		held := make([]int, len(words))
		for r, w := range words {
			held[r] = reportOf(w).count
		}
		if x.Want != nil {
			if err := n.Set(x.Want()...).Do(x.Do); err != nil {
				return err
			}
			if err := n.Barrier(); err != nil { // ranks that were granted first wait for the others
				return err
			}
		}
		if slices.Max(held) == 0 {
			return nil
		}
		if tasks, err = p.move(tasks, moves(held, p.room())); err != nil {
			return err
		}
		begin := n.Now()
		pace.next(words, begin)
		for i := 0; len(tasks) > 0 && (i == 0 || n.Now()-begin < pace.limit); i++ {
			if tasks, err = workOnLast(tasks, work); err != nil {
				return err
			}
		}
		pace.end = n.Now()
		busy = pace.end - begin
	}
}

// move carries out the moves: ranks with too many tasks put some into their boxes, and then other
// ranks take them out.
func (p *Pool[T]) move(tasks []T, all []move) ([]T, error) {
	if len(all) == 0 {
		return tasks, nil
	}
	n := p.node
	give, from := 0, make([]int, n.Nodes()) // from[r] counts the tasks taken from the box of rank r
	var wants []fagus.Request
	for _, m := range all {
		if m.from == n.Rank() {
			give += m.count
		}
		if m.to == n.Rank() {
			wants = append(wants, p.boxes.Want(fagus.Shared, m.from)...)
		}
	}
	set := n.Set()
	if give > 0 {
		set = n.Set(p.boxes.WantMine(fagus.Exclusive)...)
	}
	given, kept := split(tasks, give)
	set.Do(func() { copy(p.boxes.Mine(), given) })
	n.Fence()
	err := n.Set(wants...).Do(func() {
		for _, m := range all {
			if m.to == n.Rank() {
				kept = append(kept, p.boxes.Of(m.from)[from[m.from]:][:m.count]...)
			}
			from[m.from] += m.count
		}
	})
	return kept, err
}

// split divides tasks into give given ones, old and new in the same proportion, and the kept ones.
func split[T any](tasks []T, give int) (given, kept []T) {
	for i, t := range tasks {
		if (i+1)*give/len(tasks) > i*give/len(tasks) {
			given = append(given, t)
		} else {
			kept = append(kept, t)
		}
	}
	return given, kept
}
