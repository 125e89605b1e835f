package colony

// row is a row of a state machine's table: in state from, on input on, after the state's clocks,
// the module does an action, emits a signal and enters state to.
type row struct {
	from state
	on   input
	to   state
	do   action
	emit signal
}

// action is what a module does with the data of its board; nil if nothing.
type action func(*board) input

// signal is an input of another module of the same board; none if in is always.
type signal struct {
	to module
	in input
}

// residence is how long a module stays in a state, in clocks. A working state counts from its
// entry, a waiting state from the input that it waits for.
type residence struct {
	state  state
	clocks int
	waits  bool
}

type table struct {
	stay []residence
	rows []row
}

// tables returns the state machines of a board on a link. The states are those of the thesis
// (docs/lab/papers.md, Computer Colony, Protocol). Their clocks are assumed so that the sums along
// the paths (paths.go) are the thesis's figures.
func tables(l Link) [modules]table {
	return [modules]table{
		mbus: mbusTable(), mdc: mdcTable(), fdc: fdcTable(), sender: senderTable(), receiver: receiverTable(),
		sdc: sdcTable(), sram: sramTable(), fcOut: fcOutTable(l), fcIn: fcInTable(),
	}
}

func mbusTable() table {
	return table{
		[]residence{{idle, 1, true}, {judge, 1, false}, {localWrite, 1, true}, {wait, 1, true},
			{replyData, 3, false}, {comp, 1, false}},
		[]row{
			{idle, busAccess, judge, (*board).judgeAccess, signal{}},
			{judge, isLocalWrite, localWrite, nil, signal{mdc, isLocalWrite}},
			{judge, isLocalRead, wait, nil, signal{mdc, isLocalRead}},
			{judge, isRemote, wait, nil, signal{mdc, isRemote}},
			{localWrite, taken, comp, nil, signal{}},
			{wait, isAck, comp, nil, signal{}},
			{wait, isData, replyData, nil, signal{}},
			{replyData, always, comp, nil, signal{}},
			{comp, always, idle, (*board).endAccess, signal{}},
		},
	}
}

func mdcTable() table {
	return table{
		[]residence{{idle, 1, true}, {localWrite, 2, false}, {localRead, 2, false}, {waitLocal, 1, true},
			{remoteAccess, 2, false}, {waitRemote, 1, true}, {replyData, 2, false}, {comp, 1, false}},
		[]row{
			{idle, isLocalWrite, localWrite, (*board).latchWrite, signal{mbus, taken}},
			{idle, isLocalRead, localRead, nil, signal{}},
			{idle, isRemote, remoteAccess, (*board).newRequest, signal{}},
			{localWrite, always, waitLocal, (*board).requestMDCWrite, signal{sdc, writeMDC}},
			{localRead, always, waitLocal, (*board).requestMDCRead, signal{sdc, readMDC}},
			{waitLocal, taken, comp, nil, signal{}},
			{waitLocal, sramData, replyData, (*board).keepRead, signal{}},
			{remoteAccess, always, waitRemote, (*board).startTimer, signal{fdc, fromMDC}},
			{remoteAccess, gaveUp, replyData, nil, signal{}},
			{waitRemote, isAck, replyData, nil, signal{}},
			{waitRemote, isNack, remoteAccess, (*board).tryAfterNack, signal{}},
			{waitRemote, timeout, remoteAccess, (*board).tryAfterTimeout, signal{}},
			{replyData, always, comp, (*board).replyToBus, signal{}},
			{comp, always, idle, nil, signal{}},
		},
	}
}

func fdcTable() table {
	return table{
		[]residence{{idle, 1, true}, {accessMDC, 3, false}, {send, 1, true}, {accessFC, 3, false},
			{receiveAnswer, 2, false}, {sramRead, 1, true}, {sramReply, 1, false}, {sendReply, 1, true},
			{sendAck, 1, true}, {sramWrite, 1, true}, {comp, 1, false}},
		[]row{
			{idle, fromFC, accessFC, (*board).acceptPacket, signal{receiver, taken}},
			{idle, fromMDC, accessMDC, nil, signal{}},
			{accessMDC, always, send, (*board).putRequest, signal{sender, fromFDC}},
			{send, taken, comp, nil, signal{}},
			{accessFC, isWrite, sendAck, (*board).putAck, signal{sender, fromFDC}},
			{accessFC, isAgain, sendReply, (*board).putAckAgain, signal{sender, fromFDC}},
			{accessFC, isBad, sendReply, (*board).putNack, signal{sender, fromFDC}},
			{accessFC, isRead, sramRead, (*board).requestFDCRead, signal{sdc, readFDC}},
			{accessFC, isAnswer, receiveAnswer, nil, signal{}},
			{sendAck, taken, sramWrite, (*board).requestFDCWrite, signal{sdc, writeFDC}},
			{sramWrite, taken, comp, nil, signal{}},
			{sramRead, sramData, sramReply, nil, signal{}},
			{sramReply, always, sendReply, (*board).putReply, signal{sender, fromFDC}},
			{sendReply, taken, comp, nil, signal{}},
			{receiveAnswer, always, comp, (*board).handleAnswer, signal{}},
			{comp, always, idle, nil, signal{}},
		},
	}
}

func senderTable() table {
	return table{
		[]residence{{idle, 1, true}, {access, 2, false}, {makePacket, 2, false}, {send, 1, true}, {comp, 1, false}},
		[]row{
			{idle, fromFDC, access, (*board).latchPacket, signal{fdc, taken}},
			{access, always, makePacket, nil, signal{}},
			{makePacket, always, send, (*board).encodePacket, signal{fcOut, full}},
			{send, taken, comp, nil, signal{}},
			{comp, always, idle, nil, signal{}},
		},
	}
}

func receiverTable() table {
	return table{
		[]residence{{idle, 1, true}, {receive, 1, false}, {checkHeader, 1, false}, {checkParity, 2, false},
			{access, 1, true}, {comp, 1, false}},
		[]row{
			{idle, full, receive, (*board).getFIFO, signal{}},
			{receive, always, checkHeader, (*board).compareHeader, signal{}},
			{checkHeader, isGood, checkParity, (*board).computeParity, signal{}},
			{checkHeader, isBad, comp, nil, signal{}},
			{checkParity, isGood, access, nil, signal{fdc, fromFC}},
			{checkParity, isBad, comp, nil, signal{}},
			{access, taken, comp, nil, signal{}},
			{comp, always, idle, nil, signal{}},
		},
	}
}

func sdcTable() table {
	return table{
		[]residence{{idle, 1, true}, {dataComing, 2, false}, {writeAccess, 1, true}, {readAccess, 1, true},
			{getReply, 2, false}, {replyFDC, 2, false}, {replyMDC, 2, false}, {comp, 1, false}},
		[]row{
			{idle, writeFDC, dataComing, (*board).latchFDCWrite, signal{fdc, taken}},
			{idle, readFDC, dataComing, (*board).latchFDCRead, signal{}},
			{idle, writeMDC, dataComing, (*board).latchMDCWrite, signal{mdc, taken}},
			{idle, readMDC, dataComing, (*board).latchMDCRead, signal{}},
			{dataComing, isWrite, writeAccess, nil, signal{sram, isWrite}},
			{dataComing, isRead, readAccess, nil, signal{sram, isRead}},
			{writeAccess, taken, comp, nil, signal{}},
			{readAccess, sramData, getReply, (*board).selectReader, signal{}},
			{getReply, fromFDC, replyFDC, nil, signal{}},
			{getReply, fromMDC, replyMDC, nil, signal{}},
			{replyFDC, always, comp, nil, signal{fdc, sramData}},
			{replyMDC, always, comp, nil, signal{mdc, sramData}},
			{comp, always, idle, nil, signal{}},
		},
	}
}

func sramTable() table {
	return table{
		[]residence{{idle, 1, true}, {writing, 2, false}, {reading, 5, false}},
		[]row{
			{idle, isWrite, writing, nil, signal{}},
			{idle, isRead, reading, nil, signal{}},
			{writing, always, idle, (*board).store, signal{sdc, taken}},
			{reading, always, idle, (*board).load, signal{sdc, sramData}},
		},
	}
}

func fcOutTable(l Link) table {
	return table{
		[]residence{{idle, 1, true}, {widths, 4, false}, {sending, l.clocks(), false}},
		[]row{
			{idle, full, widths, (*board).latchBits, signal{sender, taken}},
			{widths, always, sending, (*board).transmit, signal{}},
			{sending, always, idle, nil, signal{}},
		},
	}
}

func fcInTable() table {
	return table{
		[]residence{{idle, 1, true}, {widths, 4, false}, {dropped, 1, false}},
		[]row{
			{idle, full, widths, nil, signal{}},
			{idle, short, dropped, (*board).countShort, signal{}},
			{widths, always, idle, (*board).putFIFO, signal{}},
			{dropped, always, idle, nil, signal{}},
		},
	}
}
