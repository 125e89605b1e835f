package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"
)

// defaultPatience is how long a rank waits for data that are written while ranks compute.
const defaultPatience = time.Minute

// Commit implements fagus.Checkpointer. With Config.Copy it returns at once.
func (k *Keeper) Commit(ctx context.Context, number uint64) error {
	done := make(chan struct{})
	k.mu.Lock()
	m := k.cut
	k.committing = done
	k.mu.Unlock()
	if m == nil || m.Number != number {
		close(done)
		return fmt.Errorf("checkpoint: number %d: rank 0 has not saved it", number)
	}
	if k.cfg.Copy == 0 {
		defer close(done)
		err := k.commit(ctx, m, time.Now())
		k.note((*costs).waited)
		k.note((*costs).end)
		return err
	}
	k.note((*costs).waited)
	go func() {
		defer close(done)
		if err := k.commit(context.WithoutCancel(ctx), m, time.Now().Add(k.patience)); err != nil {
			k.Failed(number, err)
		}
		k.note((*costs).end)
	}()
	return nil
}

// commit writes the manifest when all parts are there.
func (k *Keeper) commit(ctx context.Context, m *Manifest, deadline time.Time) error {
	all := make([][]place, len(m.Arrays))
	for rank := range m.Nodes {
		part, err := k.part(ctx, m, rank, all)
		for pause := time.Millisecond; errors.Is(err, fs.ErrNotExist) && time.Now().Before(deadline) && !k.gaveUp(m.Number); pause = min(2*pause, 100*time.Millisecond) {
			time.Sleep(pause)
			part, err = k.part(ctx, m, rank, all)
		}
		if err != nil {
			return fmt.Errorf("checkpoint: number %d: the part of rank %d cannot be read in %v, which all ranks must share: %w", m.Number, rank, k.cfg.Store, err)
		}
		m.Parts = append(m.Parts, part)
	}
	if err := m.checkPlaces(all); err != nil { // as Open does
		return fmt.Errorf("checkpoint: number %d: %w", m.Number, err)
	}
	m.Made = time.Now().UTC()
	text, err := m.encode()
	if err != nil {
		return fmt.Errorf("checkpoint: number %d: %w", m.Number, err)
	}
	if over(k.closed) {
		return fmt.Errorf("checkpoint: number %d: the job has ended", m.Number)
	}
	k.mu.Lock()
	k.tried = m.Number
	k.mu.Unlock()
	if err := put(ctx, k.cfg.Store, manifestName(m.Number), text); err != nil {
		return fmt.Errorf("checkpoint: %s in %v: %w", manifestName(m.Number), k.cfg.Store, err)
	}
	k.mu.Lock()
	k.valid = m.Number
	k.costs.valid(m)
	k.mu.Unlock()
	k.info("checkpoint", m.Number, "ranks", m.Nodes)
	if over(k.closed) {
		return nil
	}
	if err := k.clean(ctx); err != nil && err != errKnown {
		k.Failed(m.Number, fmt.Errorf("it is valid, but old ones cannot be removed: %w", err))
	}
	return nil
}

// part describes the part of a rank, and adds the places of its pieces to all.
func (k *Keeper) part(ctx context.Context, m *Manifest, rank int, all [][]place) (Part, error) {
	name := partName(m.Number, rank)
	r, err := k.cfg.Store.Open(ctx, name)
	if err != nil {
		return Part{}, err
	}
	defer r.Close()
	x, err := readIndex(r)
	if err != nil {
		return Part{}, err
	}
	if x.run != m.start {
		return Part{}, fmt.Errorf("%s is of another start of the job (%08x): this one is %08x", name, x.run, m.start)
	}
	for _, e := range x.entries {
		if int(e.Array) >= len(all) {
			return Part{}, fmt.Errorf("%s has a piece of array %d of %d", name, e.Array, len(all))
		}
		all[e.Array] = append(all[e.Array], place{name, e})
	}
	return Part{Name: name, Bytes: r.Size(), Index: x.sum, Earlier: x.list}, nil
}

// put writes a small object.
func put(ctx context.Context, s Store, name string, b []byte) error {
	w, err := s.Create(ctx, name)
	if err != nil {
		return err
	}
	if _, err := w.Write(b); err != nil {
		w.Abort()
		return err
	}
	return w.Commit()
}

// clean removes checkpoints beyond Config.Keep, and parts that no checkpoint needs. Manifests go
// first: a manifest without parts would be a damaged checkpoint. Known damaged checkpoints stay,
// and do not count.
func (k *Keeper) clean(ctx context.Context) error {
	all, err := k.cfg.Store.List(ctx)
	if err != nil {
		return err
	}
	k.mu.Lock()
	damaged := slices.Clone(k.damaged)
	k.mu.Unlock()
	var numbers []uint64
	for _, o := range all {
		if number, what := parseName(o.Name); what == aManifest && !slices.Contains(damaged, number) {
			numbers = append(numbers, number)
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	slices.Sort(numbers)
	newest := numbers[len(numbers)-1]
	kept := append(numbers[max(0, len(numbers)-k.cfg.Keep):], damaged...)
	needed, err := k.needed(ctx, kept, damaged)
	if err != nil {
		return err
	}
	var failed []error
	for _, what := range []kind{aManifest, aPart} {
		for _, o := range all {
			number, is := parseName(o.Name)
			if is == what && number < newest && !slices.Contains(kept, number) && !needed[o.Name] {
				failed = append(failed, k.cfg.Store.Remove(ctx, o.Name))
			}
		}
		if errors.Join(failed...) != nil {
			break
		}
	}
	return errors.Join(failed...)
}

// needed returns the parts of earlier checkpoints that checkpoints need. If the manifest of a
// damaged checkpoint cannot be read, these parts are unknown, and count as not needed. If another
// manifest cannot be read, nothing may be removed: needed returns the error, and the next time
// errKnown.
func (k *Keeper) needed(ctx context.Context, kept, damaged []uint64) (parts map[string]bool, err error) {
	parts = map[string]bool{}
	for _, number := range kept {
		m, err := ReadManifest(ctx, k.cfg.Store, number)
		if errors.Is(err, fs.ErrNotExist) || err != nil && slices.Contains(damaged, number) {
			continue // it is gone, or nobody can use it
		}
		if err != nil {
			return nil, k.unreadable(number, err)
		}
		for _, p := range m.Parts {
			parts[p.Name] = true
			for _, earlier := range p.Earlier {
				parts[earlier] = true
			}
		}
	}
	return parts, nil
}

// errKnown means that the failure was reported before.
var errKnown = errors.New("reported before")

// unreadable returns the error of reading a manifest, or errKnown.
func (k *Keeper) unreadable(number uint64, err error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.unread == number {
		return errKnown
	}
	k.unread = number
	return err
}
