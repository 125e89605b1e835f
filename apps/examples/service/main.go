// Command service computes prime numbers, and answers by HTTP meanwhile.
//
//	go run . --nodes 4 --listen 127.0.0.1:8080
//	curl 127.0.0.1:8080/status                    # what is done so far
//	curl '127.0.0.1:8080/count?from=100&to=200'   # asks the ranks for something else
//
// The HTTP server is in the process of rank 0. Only the goroutine of a rank may make calls of
// Fagus, so a handler hands its question over by a Go channel. Rank 0 sends tasks to the other
// ranks by one parts.Channel, and receives their answers by another. SIGTERM ends the service.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
	"github.com/fagus-dsm/fagus/fagus/program"
)

var listen = flag.String("listen", "127.0.0.1:8080", "answer HTTP at `ADDRESS`; with port 0 at a free one")

func main() { program.App{About: "answers HTTP while ranks compute", Run: run}.Main() }

// run runs once as every rank.
func run(n *fagus.Node) error {
	if n.Rank() > 0 {
		return serve(n, nil, n.Context())
	}
	l, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	fmt.Printf("http://%v/status\n", l.Addr())
	return serve(n, l, n.Context())
}

// task is to count the primes from From to To-1.
type task struct {
	Number, From, To int
	Primes           int // the answer, of a rank
	Rank             int
}

// question is a task of an HTTP handler, which waits for the answer.
type question struct {
	task
	answer chan<- task
}

// progress is what is done so far, without the questions.
type progress struct{ tasks, primes atomic.Int64 }

// serve answers HTTP at l, a listener of rank 0, until ctx is done.
func serve(n *fagus.Node, l net.Listener, ctx context.Context) error {
	if n.Nodes() < 2 {
		return errors.New("want 2 ranks or more (--nodes): rank 0 deals out the work of the others")
	}
	tasks, err := parts.NewChannel[task](n, "tasks", n.Nodes(), 1)
	if err != nil {
		return err
	}
	answers, err := parts.NewChannel[task](n, "answers", n.Nodes(), n.Nodes()-1)
	if err != nil {
		return err
	}
	if n.Rank() == 0 {
		return deal(n, l, ctx, tasks, answers)
	}
	for t, err := range tasks.All() {
		if err != nil {
			return err
		}
		t.Primes, t.Rank = primes(t.From, t.To), n.Rank()
		n.Spend(fagus.Time(t.To-t.From) * fagus.Microsecond) // on a simulated network
		if err := answers.Send(t); err != nil {
			return err
		}
	}
	return answers.Close()
}

// deal is rank 0. It keeps a task for each other rank under way, until ctx is done.
func deal(n *fagus.Node, l net.Listener, ctx context.Context, tasks, answers *parts.Channel[task]) error {
	questions := make(chan question)
	var sum progress
	server := &http.Server{Handler: routes(ctx, questions, &sum), ReadHeaderTimeout: time.Minute}
	go server.Serve(l)
	defer server.Close()
	asked := make(map[int]chan<- task) // by number
	for number, from, underWay := 0, 0, 0; ctx.Err() == nil || underWay > 0; {
		if ctx.Err() == nil && underWay < n.Nodes()-1 {
			t := task{Number: number, From: from, To: from + 10000}
			select {
			case q := <-questions:
				t.From, t.To, asked[number] = q.From, q.To, q.answer
			default:
				from = t.To
			}
			if err := tasks.Send(t); err != nil {
				return err
			}
			number, underWay = number+1, underWay+1
			continue
		}
		t, _, err := answers.Receive()
		if err != nil {
			return err
		}
		underWay--
		if reply, ok := asked[t.Number]; ok {
			reply <- t
			delete(asked, t.Number)
			continue
		}
		sum.tasks.Add(1)
		sum.primes.Add(int64(t.Primes))
	}
	return tasks.Close()
}

// routes returns the handlers of requests, which run on goroutines of the HTTP server.
func routes(ctx context.Context, questions chan<- question, sum *progress) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "%d primes in %d tasks\n", sum.primes.Load(), sum.tasks.Load())
	})
	mux.HandleFunc("GET /count", func(w http.ResponseWriter, r *http.Request) {
		from, err := strconv.Atoi(r.FormValue("from"))
		to, wrong := strconv.Atoi(r.FormValue("to"))
		if err != nil || wrong != nil || from < 0 || to < from || to > 1e7 {
			http.Error(w, "want /count?from=A&to=B with numbers from 0 to 10000000", http.StatusBadRequest)
			return
		}
		reply := make(chan task, 1) // rank 0 never waits for a handler
		select {
		case questions <- question{task{From: from, To: to}, reply}:
		case <-ctx.Done():
		}
		select {
		case t := <-reply:
			fmt.Fprintf(w, "%d primes from %d to %d, by rank %d\n", t.Primes, from, to-1, t.Rank)
		case <-ctx.Done():
			http.Error(w, "the service ends", http.StatusServiceUnavailable)
		}
	})
	return mux
}

// primes counts the prime numbers from lo to hi-1.
func primes(lo, hi int) (count int) {
next:
	for i := max(lo, 2); i < hi; i++ {
		for d := 2; d*d <= i; d++ {
			if i%d == 0 {
				continue next
			}
		}
		count++
	}
	return count
}
