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
			{idle, busAccess, judge, judgeAccess, signal{}},
			{judge, isLocalWrite, localWrite, nothing, signal{mdc, isLocalWrite}},
			{judge, isLocalRead, wait, nothing, signal{mdc, isLocalRead}},
			{judge, isRemote, wait, nothing, signal{mdc, isRemote}},
			{localWrite, taken, comp, nothing, signal{}},
			{wait, isAck, comp, nothing, signal{}},
			{wait, isData, replyData, nothing, signal{}},
			{replyData, always, comp, nothing, signal{}},
			{comp, always, idle, endAccess, signal{}},
		},
	}
}

func mdcTable() table {
	return table{
		[]residence{{idle, 1, true}, {localWrite, 2, false}, {localRead, 2, false}, {waitLocal, 1, true},
			{remoteAccess, 2, false}, {waitRemote, 1, true}, {replyData, 2, false}, {comp, 1, false}},
		[]row{
			{idle, isLocalWrite, localWrite, latchWrite, signal{mbus, taken}},
			{idle, isLocalRead, localRead, nothing, signal{}},
			{idle, isRemote, remoteAccess, newRequest, signal{}},
			{localWrite, always, waitLocal, requestMDCWrite, signal{sdc, writeMDC}},
			{localRead, always, waitLocal, requestMDCRead, signal{sdc, readMDC}},
			{waitLocal, taken, comp, nothing, signal{}},
			{waitLocal, sramData, replyData, keepRead, signal{}},
			{remoteAccess, always, waitRemote, startTimer, signal{fdc, fromMDC}},
			{remoteAccess, gaveUp, replyData, nothing, signal{}},
			{waitRemote, isAck, replyData, nothing, signal{}},
			{waitRemote, isNack, remoteAccess, tryAfterNack, signal{}},
			{waitRemote, timeout, remoteAccess, tryAgain, signal{}},
			{replyData, always, comp, replyToBus, signal{}},
			{comp, always, idle, nothing, signal{}},
		},
	}
}

func fdcTable() table {
	return table{
		[]residence{{idle, 1, true}, {accessMDC, 3, false}, {send, 1, true}, {accessFC, 3, false},
			{receiveAnswer, 2, false}, {sramRead, 1, true}, {sramReply, 1, false}, {sendReply, 1, true},
			{sendAck, 1, true}, {sramWrite, 1, true}, {comp, 1, false}},
		[]row{
			{idle, fromFC, accessFC, acceptPacket, signal{receiver, taken}},
			{idle, fromMDC, accessMDC, nothing, signal{}},
			{accessMDC, always, send, putRequest, signal{sender, fromFDC}},
			{send, taken, comp, nothing, signal{}},
			{accessFC, isWrite, sendAck, putAck, signal{sender, fromFDC}},
			{accessFC, isAgain, sendReply, putAckAgain, signal{sender, fromFDC}},
			{accessFC, isBad, sendReply, putNack, signal{sender, fromFDC}},
			{accessFC, isRead, sramRead, requestFDCRead, signal{sdc, readFDC}},
			{accessFC, isAnswer, receiveAnswer, nothing, signal{}},
			{sendAck, taken, sramWrite, requestFDCWrite, signal{sdc, writeFDC}},
			{sramWrite, taken, comp, nothing, signal{}},
			{sramRead, sramData, sramReply, nothing, signal{}},
			{sramReply, always, sendReply, putReply, signal{sender, fromFDC}},
			{sendReply, taken, comp, nothing, signal{}},
			{receiveAnswer, always, comp, handleAnswer, signal{}},
			{comp, always, idle, nothing, signal{}},
		},
	}
}

func senderTable() table {
	return table{
		[]residence{{idle, 1, true}, {access, 2, false}, {makePacket, 2, false}, {send, 1, true}, {comp, 1, false}},
		[]row{
			{idle, fromFDC, access, latchPacket, signal{fdc, taken}},
			{access, always, makePacket, nothing, signal{}},
			{makePacket, always, send, encodePacket, signal{fcOut, full}},
			{send, taken, comp, nothing, signal{}},
			{comp, always, idle, nothing, signal{}},
		},
	}
}

func receiverTable() table {
	return table{
		[]residence{{idle, 1, true}, {receive, 1, false}, {checkHeader, 1, false}, {checkParity, 2, false},
			{access, 1, true}, {comp, 1, false}},
		[]row{
			{idle, full, receive, getFIFO, signal{}},
			{receive, always, checkHeader, compareHeader, signal{}},
			{checkHeader, isGood, checkParity, computeParity, signal{}},
			{checkHeader, isBad, comp, nothing, signal{}},
			{checkParity, isGood, access, nothing, signal{fdc, fromFC}},
			{checkParity, isBad, comp, nothing, signal{}},
			{access, taken, comp, nothing, signal{}},
			{comp, always, idle, nothing, signal{}},
		},
	}
}

func sdcTable() table {
	return table{
		[]residence{{idle, 1, true}, {dataComing, 2, false}, {writeAccess, 1, true}, {readAccess, 1, true},
			{getReply, 2, false}, {replyFDC, 2, false}, {replyMDC, 2, false}, {comp, 1, false}},
		[]row{
			{idle, writeFDC, dataComing, latchFDCWrite, signal{fdc, taken}},
			{idle, readFDC, dataComing, latchFDCRead, signal{}},
			{idle, writeMDC, dataComing, latchMDCWrite, signal{mdc, taken}},
			{idle, readMDC, dataComing, latchMDCRead, signal{}},
			{dataComing, isWrite, writeAccess, nothing, signal{sram, isWrite}},
			{dataComing, isRead, readAccess, nothing, signal{sram, isRead}},
			{writeAccess, taken, comp, nothing, signal{}},
			{readAccess, sramData, getReply, selectReader, signal{}},
			{getReply, fromFDC, replyFDC, nothing, signal{}},
			{getReply, fromMDC, replyMDC, nothing, signal{}},
			{replyFDC, always, comp, nothing, signal{fdc, sramData}},
			{replyMDC, always, comp, nothing, signal{mdc, sramData}},
			{comp, always, idle, nothing, signal{}},
		},
	}
}

func sramTable() table {
	return table{
		[]residence{{idle, 1, true}, {writing, 2, false}, {reading, 5, false}},
		[]row{
			{idle, isWrite, writing, nothing, signal{}},
			{idle, isRead, reading, nothing, signal{}},
			{writing, always, idle, store, signal{sdc, taken}},
			{reading, always, idle, load, signal{sdc, sramData}},
		},
	}
}

func fcOutTable(l Link) table {
	return table{
		[]residence{{idle, 1, true}, {widths, 4, false}, {sending, l.clocks(), false}},
		[]row{
			{idle, full, widths, latchBits, signal{sender, taken}},
			{widths, always, sending, transmit, signal{}},
			{sending, always, idle, nothing, signal{}},
		},
	}
}

func fcInTable() table {
	return table{
		[]residence{{idle, 1, true}, {widths, 4, false}, {dropped, 1, false}},
		[]row{
			{idle, full, widths, nothing, signal{}},
			{idle, short, dropped, countShort, signal{}},
			{widths, always, idle, putFIFO, signal{}},
			{dropped, always, idle, nothing, signal{}},
		},
	}
}
