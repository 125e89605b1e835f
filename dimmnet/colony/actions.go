package colony

// handlers are the actions of the tables. What one returns is the input with which
// the module leaves the state that it enters, unless that one waits.
func handlers() [actions]func(*board) input {
	return [actions]func(*board) input{
		judgeAccess: (*board).judge,
		endAccess:   func(b *board) input { b.finish(b); return always },
		takeWrite:   func(b *board) input { b.mdc = b.bus; return always },
		newRequest:  (*board).newRequest,
		startTimer:  (*board).startTimer,
		tryAfterNack: func(b *board) input {
			b.count.Nacks++
			return b.tryAgain()
		},
		tryAgain: func(b *board) input {
			b.count.Timeouts++
			return b.tryAgain()
		},
		keepRead:     func(b *board) input { b.answer = b.loaded; return always },
		replyToBus:   (*board).replyToBus,
		acceptPacket: (*board).acceptPacket,
		giveRequest:  func(b *board) input { b.giving, b.stained[0] = b.ask, false; return always },
		giveAck:      func(b *board) input { b.reply(0); return always },
		giveSeen:     func(b *board) input { b.count.Again++; b.reply(0); return always },
		giveNack:     func(b *board) input { b.reply(NackWord); return always },
		giveReply:    func(b *board) input { b.reply(b.loaded); return always },
		writeForFDC:  func(b *board) input { b.fromF = b.servedOrder(true); return always },
		readForFDC:   func(b *board) input { b.fromF = b.servedOrder(false); return always },
		takeAnswer:   (*board).takeAnswer,
		takePacket:   func(b *board) input { b.sending, b.stained[1] = b.giving, b.stained[0]; return always },
		encodePacket: func(b *board) input { b.out = b.sending.Encode(); return always },
		takeBits: func(b *board) input {
			b.leaving = leaving{b.out, b.sending.To, b.sending.Kind, b.stained[1]}
			return always
		},
		transmit:      (*board).transmit,
		putFIFO:       (*board).putFIFO,
		countShort:    func(b *board) input { b.count.Short++; return always },
		getFIFO:       (*board).getFIFO,
		lookHeader:    (*board).lookHeader,
		lookParity:    (*board).lookParity,
		writeForMDC:   func(b *board) input { b.fromM = b.mdc.local(); return always },
		readForMDC:    func(b *board) input { b.fromM = b.bus.local(); return always },
		latchFDCWrite: func(b *board) input { return b.latch(b.fromF, true, isWrite) },
		latchFDCRead:  func(b *board) input { return b.latch(b.fromF, true, isRead) },
		latchMDCWrite: func(b *board) input { return b.latch(b.fromM, false, isWrite) },
		latchMDCRead:  func(b *board) input { return b.latch(b.fromM, false, isRead) },
		whoReads:      (*board).whoReads,
		store:         func(b *board) input { b.memory[b.active.where] = b.active.word; return always },
		load:          func(b *board) input { b.loaded = b.memory[b.active.where]; return always },
	}
}

// local is an access to the word of the own memory that it names.
func (o order) local() order {
	o.where = o.addr.Word()
	return o
}

func (b *board) judge() input {
	switch {
	case b.bus.addr.Node() != Node(b.index) || b.net.loop:
		return isRemote
	case b.bus.write:
		return isLocalWrite
	}
	return isLocalRead
}

// newRequest makes the packet of a remote access. No answer to an earlier one
// counts any more.
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

// tryAgain counts tries; after too many of them the access fails.
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
		b.tell(mbus, isAck)
	} else {
		b.tell(mbus, isData)
	}
	return always
}

// acceptPacket says what a packet, whose header and parity were looked at, asks for.
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
			b.net.forged(b, &b.held) // what is remembered is wrong
		}
		return isAgain
	}
	b.seen[p.From] = seen{p.Turn, write, forged}
	if write {
		return isWrite
	}
	return isRead
}

// forge notes that a damaged packet, or what came of one, was taken for good.
func (b *board) forge() {
	if b.held.touched() {
		b.count.Unseen++
	}
	b.net.forged(b, &b.held)
}

// reply gives the answer to the request that is served to send data.
func (b *board) reply(data uint32) {
	r := &b.served
	b.stained[0] = b.held.touched()
	b.giving = Packet{To: r.From, From: Node(b.index), Turn: r.Turn, Kind: KindAnswer, Address: r.Address, Data: data}
}

func (b *board) servedOrder(write bool) order {
	return order{write: write, word: b.served.Data, where: b.served.Address}
}

// takeAnswer tells the MBus data control. It looks again whether the packet answers
// what is asked: between this and the check of the header another answer may have.
func (b *board) takeAnswer() input {
	switch {
	case !b.answers(&b.served):
		b.count.Late++
	case b.served.Data == NackWord:
		b.tell(mdc, isNack)
	default:
		if b.held.suspect() {
			b.forge()
		}
		b.waits = false
		b.answer = b.served.Data
		b.tell(mdc, isAck)
	}
	return always
}

// answers says whether p is an answer to the request under way.
func (b *board) answers(p *Packet) bool {
	return b.waits && p.From == b.ask.To && p.Turn == b.ask.Turn
}

// transmit puts the packet on the wire to its node, which may damage it.
func (b *board) transmit() input {
	n := b.net
	b.count.Packets++
	to := &n.boards[b.leaving.to]
	begin := max(n.queue.now, to.busyTo)
	if begin-n.queue.now > roomPackets*n.occupied {
		b.count.Overrun++
		return always
	}
	to.busyTo = begin + n.occupied
	p := parcel{b.leaving.bits, b.leaving.bits, b.leaving.stained}
	flight := n.flights[0]
	if n.faults.limit > 0 && n.faults.source.Uint64() < n.faults.limit {
		flight = n.flights[n.faults.damage(&p, &b.count)]
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
	b.tell(receiver, full)
	return always
}

// getFIFO leaves a signal for itself where there are more packets.
func (b *board) getFIFO() input {
	b.inHand = *b.fifo.get()
	if b.fifo.n > 0 {
		b.tell(receiver, full)
	}
	return always
}

// lookHeader compares the 12 bits of the header with those that may come.
func (b *board) lookHeader() input {
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

func (b *board) lookParity() input {
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

func (b *board) whoReads() input {
	if b.forFDC {
		return fromFDC
	}
	return fromMDC
}
