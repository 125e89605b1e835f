package pmi

import "fmt"

// wire is a server that speaks PMI-1 or PMI-2 on a socket.
type wire struct {
	*conn
	rank  int
	store store
}

var _ server = (*wire)(nil)

func (w *wire) put(call uint32, own []byte) error {
	for i, value := range split(own, w.store.value) {
		if _, err := w.ask(w.store.put(valueKey(call, w.rank, i), value)); err != nil {
			return err
		}
	}
	return nil
}

func (w *wire) fence() error {
	_, err := w.ask(w.store.exchange("waiting for the other ranks in a fence", 0, verb{"barrier_in", "barrier_out", "kvs-fence"}))
	return err
}

func (w *wire) leave() error {
	_, err := w.ask(w.store.exchange("leaving the job", answerTime, verb{"finalize", "finalize_ack", "finalize"}))
	return err
}

func (w *wire) fetch(call uint32, rank int) ([]byte, error) {
	var a assembly
	for piece, complete := 0, false; !complete; piece++ {
		x := w.store.get(valueKey(call, rank, piece))
		m, err := w.ask(x)
		if err != nil {
			return nil, err
		}
		value, err := found(m)
		if err == nil {
			complete, err = a.add(value)
		}
		if err != nil {
			return nil, w.broken(x.doing, err)
		}
	}
	blob, err := a.blob()
	if err != nil {
		return nil, w.broken(fmt.Sprintf("reading the bytes of rank %d", rank), err)
	}
	return blob, nil
}

// broken makes w unusable because of err, and returns the error.
func (w *wire) broken(doing string, err error) error {
	w.fail(err)
	return fmt.Errorf("pmi: %s: %w", doing, err)
}
