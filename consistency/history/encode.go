package history

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// recording is a Recorder as JSON. Events are the encoded events one after the other.
type recording struct {
	Names   []string `json:"names"`
	Initial []uint64 `json:"initial"`
	Events  []byte   `json:"events"`
}

// eventBytes is the size of an encoded event, little endian:
//
//	0 op   1 access   4 variable   8 call   12 meeting   16 version   24 content   32 at
const eventBytes = 40

// Encode returns the record of this rank as bytes for Decode in another process.
func (r *Recorder) Encode() ([]byte, error) {
	all := make([]byte, 0, len(r.events)*eventBytes)
	for _, e := range r.events {
		all = append(all, byte(e.op), byte(e.access), 0, 0)
		all = binary.LittleEndian.AppendUint32(all, uint32(e.variable))
		all = binary.LittleEndian.AppendUint32(all, e.call)
		all = binary.LittleEndian.AppendUint32(all, e.meeting)
		all = binary.LittleEndian.AppendUint64(all, uint64(e.version))
		all = binary.LittleEndian.AppendUint64(all, e.content)
		all = binary.LittleEndian.AppendUint64(all, uint64(e.at))
	}
	return json.Marshal(recording{r.names, r.initial, all})
}

// Decode sets the record of a rank whose process sent the result of Encode. The clocks of
// processes differ, so from now on Check does not compare times.
func (h *History) Decode(rank dimmnet.Rank, data []byte) error {
	var from recording
	if err := json.Unmarshal(data, &from); err != nil {
		return fmt.Errorf("history: decoding the record of rank %d: %w", rank, err)
	}
	if len(from.Names) != len(from.Initial) || len(from.Events)%eventBytes != 0 {
		return fmt.Errorf("history: decoding the record of rank %d: %d names, %d contents and %d bytes of events: want as many contents as names, and %d bytes an event",
			rank, len(from.Names), len(from.Initial), len(from.Events), eventBytes)
	}
	r := &Recorder{rank: rank, names: from.Names, initial: from.Initial}
	for b := from.Events; len(b) > 0; b = b[eventBytes:] {
		e := event{
			op: op(b[0]), access: syncvar.Access(b[1]), variable: syncvar.ID(binary.LittleEndian.Uint32(b[4:])),
			call: binary.LittleEndian.Uint32(b[8:]), meeting: binary.LittleEndian.Uint32(b[12:]),
			version: syncvar.Version(binary.LittleEndian.Uint64(b[16:])), content: binary.LittleEndian.Uint64(b[24:]),
			at: dimmnet.Time(binary.LittleEndian.Uint64(b[32:])),
		}
		meets := e.op == enter || e.op == leave
		if e.op < begin || e.op > rebind || !meets && int(e.variable) >= len(r.names) || e.meeting > r.meetings+1 {
			return fmt.Errorf("history: decoding the record of rank %d: event %d (kind %d, variable %d of %d, meeting %d) is none of a Recorder",
				rank, len(r.events), e.op, e.variable, len(r.names), e.meeting)
		}
		r.events, r.meetings, r.calls = append(r.events, e), e.meeting, e.call
	}
	h.ranks[rank], h.apartClocks = r, true
	return nil
}
