package reproduce

import (
	"context"

	"github.com/fagus-dsm/fagus/dimmnet/lib/sendrecv"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// Message is the time of one DIMM_Send of Bytes bytes to a DIMM_Recv.
type Message struct {
	Bytes int     `json:"bytes"`
	Ns    float64 `json:"one_way_ns"` // half of a round trip
}

// Rate returns the bandwidth in MB/s.
func (m Message) Rate() float64 { return float64(m.Bytes) / m.Ns * 1000 }

// Messages measures round trips of DIMM_Send and DIMM_Recv; the paper has only a graph of them.
func Messages(ctx context.Context, cfg Config) ([]Message, error) {
	s := study{cfg: cfg.withDefaults(), ctx: ctx}
	var list []Message
	for _, n := range []int{4, 64, 464, 465, 1024, 4096, 16 << 10, 64 << 10, 256 << 10, 1 << 20} {
		rounds := max(1, min(s.cfg.Rounds, (4<<20)/n, 200))
		ns := s.run(sim.Config{Env: sendrecvEnv}, 2, func(p *pinger) (float64, error) {
			e, err := sendrecv.New(p.h.Port(), sendrecv.Config{})
			if err != nil {
				return 0, err
			}
			message := make([]byte, n)
			return p.rounds(rounds, func(uint32) error { return p.exchange(e, message) })
		})
		list = append(list, Message{n, ns / 2})
	}
	return list, s.err
}

func (p *pinger) exchange(e *sendrecv.Endpoint, message []byte) error {
	if p.h.Port().Rank() == 0 {
		if err := e.Send(1, message); err != nil {
			return err
		}
		_, err := e.Recv(1, message)
		return err
	}
	if _, err := e.Recv(0, message); err != nil {
		return err
	}
	return e.Send(0, message)
}
