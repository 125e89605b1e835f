package colony

// An action returns the input for the state that the module enters, unless that state waits for a
// signal. First those that only pass something on.

func (b *board) endAccess() input  { b.finish(b); return always }
func (b *board) latchWrite() input { b.mdc = b.bus; return always }
func (b *board) keepRead() input   { b.answer = b.loaded; return always }

func (b *board) tryAfterNack() input    { b.count.Nacks++; return b.tryAgain() }
func (b *board) tryAfterTimeout() input { b.count.Timeouts++; return b.tryAgain() }

func (b *board) putRequest() input  { b.toSender, b.tainted[0] = b.ask, false; return always }
func (b *board) putAck() input      { return b.reply(0) }
func (b *board) putAckAgain() input { b.count.Again++; return b.reply(0) }
func (b *board) putNack() input     { return b.reply(NackWord) }
func (b *board) putReply() input    { return b.reply(b.loaded) }

func (b *board) latchPacket() input {
	b.sending, b.tainted[1] = b.toSender, b.tainted[0]
	return always
}
func (b *board) encodePacket() input { b.out = b.sending.Encode(); return always }
func (b *board) latchBits() input {
	b.leaving = leaving{b.out, b.sending.To, b.sending.Kind, b.tainted[1]}
	return always
}
func (b *board) countShort() input { b.count.Short++; return always }

func (b *board) requestFDCWrite() input { b.fromFDC = b.servedOrder(true); return always }
func (b *board) requestFDCRead() input  { b.fromFDC = b.servedOrder(false); return always }
func (b *board) requestMDCWrite() input { b.fromMDC = b.mdc.local(); return always }
func (b *board) requestMDCRead() input  { b.fromMDC = b.bus.local(); return always }

func (b *board) latchFDCWrite() input { return b.latch(b.fromFDC, true, isWrite) }
func (b *board) latchFDCRead() input  { return b.latch(b.fromFDC, true, isRead) }
func (b *board) latchMDCWrite() input { return b.latch(b.fromMDC, false, isWrite) }
func (b *board) latchMDCRead() input  { return b.latch(b.fromMDC, false, isRead) }

func (b *board) store() input { b.memory[b.active.offset] = b.active.word; return always }
func (b *board) load() input  { b.loaded = b.memory[b.active.offset]; return always }

// local returns the access with an address in the board's own memory.
func (o order) local() order {
	o.offset = o.addr.Word()
	return o
}

func (b *board) judgeAccess() input {
	switch {
	case b.bus.addr.Node() != Node(b.index) || b.net.loop:
		return isRemote
	case b.bus.write:
		return isLocalWrite
	}
	return isLocalRead
}

// newRequest creates the packet of a remote access. Answers to earlier requests become invalid.
func (b *board) newRequest() input {
	b.mdc = b.bus
	to := b.bus.addr.Node()
	b.turn[to] = (b.turn[to] + 1) % turns
	kind := KindRead
	if b.bus.write {
		kind = KindWrite
	}
	b.ask = Packet{To: to, From: Node(b.index), Turn: b.turn[to], Kind: kind, Address: b.bus.addr.Word(), Data: b.bus.word}
	b.waits, b.tries, b.failed = true, 1, false
	b.forget(mdc, isAck, isNack, timeout)
	b.count.Requests++
	return always
}

func (b *board) startTimer() input {
	after := b.net.timeouts[1]
	if b.ask.Kind == KindWrite {
		after = b.net.timeouts[0]
	}
	b.expires = b.net.queue.now + after
	b.later(after, mdc, timeout)
	return always
}

func (b *board) tryAgain() input {
	b.expires = 0
	b.forget(mdc, timeout)
	if b.tries == b.net.tries {
		b.waits, b.failed = false, true
		return gaveUp
	}
	b.tries++
	b.count.Retries++
	return always
}

func (b *board) replyToBus() input {
	b.expires = 0
	if b.bus.write || b.failed {
		b.notify(mbus, isAck)
	} else {
		b.notify(mbus, isData)
	}
	return always
}

// acceptPacket returns the operation of a packet whose header and parity have been checked.
func (b *board) acceptPacket() input {
	b.held = b.inHand
	verdict := b.held.bits.Judge()
	p := b.held.bits.Decode()
	b.served = p
	if verdict != Accept {
		b.count.Refused++
		return isBad
	}
	if p.Kind == KindAnswer {
		return isAnswer
	}
	forged := b.held.touched()
	if forged {
		b.forge()
	}
	was := b.seen[p.From]
	write := p.Kind == KindWrite
	if write && was.write && was.turn == p.Turn {
		if was.forged {
			b.net.forged(b, &b.held) // the remembered request was damaged
		}
		return isAgain
	}
	b.seen[p.From] = seen{p.Turn, write, forged}
	if write {
		return isWrite
	}
	return isRead
}

// forge records that a damaged packet, or the answer to one, was accepted.
func (b *board) forge() {
	if b.held.touched() {
		b.count.Unseen++
	}
	b.net.forged(b, &b.held)
}

// reply passes the answer to the request in service to send data.
func (b *board) reply(data uint32) input {
	r := &b.served
	b.tainted[0] = b.held.touched()
	b.toSender = Packet{To: r.From, From: Node(b.index), Turn: r.Turn, Kind: KindAnswer, Address: r.Address, Data: data}
	return always
}

func (b *board) servedOrder(write bool) order {
	return order{write: write, word: b.served.Data, offset: b.served.Address}
}

// handleAnswer signals the MBus data control. It checks again that the packet answers the
// current request, because another answer may have arrived since the header was checked.
func (b *board) handleAnswer() input {
	switch {
	case !b.answers(&b.served):
		b.count.Late++
	case b.served.Data == NackWord:
		b.notify(mdc, isNack)
	default:
		if b.held.suspect() {
			b.forge()
		}
		b.waits = false
		b.answer = b.served.Data
		b.notify(mdc, isAck)
	}
	return always
}

func (b *board) answers(p *Packet) bool { return b.waits && p.From == b.ask.To && p.Turn == b.ask.Turn }

// transmit puts the packet on the wire to its destination. The fault model may damage it.
func (b *board) transmit() input {
	n := b.net
	b.count.Packets++
	to := &n.boards[b.leaving.to]
	begin := max(n.queue.now, to.busyTo)
	if begin-n.queue.now > queuePackets*n.occupied {
		b.count.Overrun++
		return always
	}
	to.busyTo = begin + n.occupied
	p := parcel{b.leaving.bits, b.leaving.bits, b.leaving.tainted}
	flight := n.flights[0]
	if n.faults.limit > 0 && n.faults.source.Uint64() < n.faults.limit {
		flight = n.flights[n.faults.damage(&p, b.count)]
	}
	wait := begin - n.queue.now
	if flight == 0 {
		to.later(wait+n.occupied+shortClocks, fcIn, short)
		return always
	}
	to.wire.put(&p)
	to.later(wait+int64(flight-n.link.ahead(b.leaving.kind)), fcIn, full)
	return always
}

func (b *board) putFIFO() input {
	if p := b.wire.get(); !b.fifo.put(p) {
		b.count.Overrun++
		return always
	}
	b.notify(receiver, full)
	return always
}

// getFIFO signals its own module again if the FIFO holds more packets.
func (b *board) getFIFO() input {
	b.inHand = *b.fifo.get()
	if b.fifo.n > 0 {
		b.notify(receiver, full)
	}
	return always
}

func (b *board) compareHeader() input {
	p := b.inHand.bits.Decode()
	switch {
	case p.To != Node(b.index) || int(p.From) >= len(b.net.boards):
		b.count.Strange++
		return isBad
	case p.Kind == KindAnswer && !b.answers(&p):
		b.count.Late++
		return isBad
	}
	return isGood
}

func (b *board) computeParity() input {
	if b.inHand.bits.Judge() == Drop {
		b.count.Odd++
		return isBad
	}
	return isGood
}

func (b *board) latch(o order, forFDC bool, what input) input {
	b.active, b.forFDC = o, forFDC
	return what
}

func (b *board) selectReader() input {
	if b.forFDC {
		return fromFDC
	}
	return fromMDC
}
