/*
 * How ranks agree over a tree that a phase repeats, and how data then move without grants (package
 * phase: schedule.go, agreement/tree/bundle.go, agreement/tree/signals.go, repeat.go, standing.go, push.go). README.md says
 * how to run it.
 *
 * In each phase a rank wants the data of the next rank, or nothing. The wants of all are the
 * schedule. Each rank expects the schedule of the phase before. The phase repeats if it has the
 * schedule of the two phases before. A rank that wants what is expected sends a mark up the tree;
 * any other rank sends its want in a bundle. What all ranks want comes down in the same way.
 *
 *	CHAIN    1: rank 2 is below rank 1; 0: ranks 1 and 2 are below rank 0
 *	DIE      1: one rank may die, at any step
 *	MISTAKE  0, or one of the planted mistakes below
 */
#ifndef CHAIN
#define CHAIN 1
#endif
#ifndef DIE
#define DIE 0
#endif
#ifndef MISTAKE
#define MISTAKE 0
#endif

#define STALE_SCHEDULE  (MISTAKE == 1)  /* rank 1 goes on expecting the first schedule */
#define OUT_OF_STEP     (MISTAKE == 2)  /* rank 2 lets a phase repeat that has come once */
#define EMPTY_FOR_DATA  (MISTAKE == 3)  /* a receiver takes the notice of a phase before */
#define PUSHES_EARLY    (MISTAKE == 4)  /* a rank pushes when its own mark is sent */
#define RESERVES_LATE   (MISTAKE == 5)  /* a receiver reserves memory after it has sent its mark */
#define MARKS_WRONG     (MISTAKE == 6)  /* rank 1 sends a mark though it wants something else */
#define KEEPS_RESERVED  (MISTAKE == 7)  /* a rank does not take its round back when others deviate */
#define KEEPS_GRANT     (MISTAKE == 8)  /* a grant of before counts in a phase that does not repeat */
#define WAITS_NOT       (MISTAKE == 9)  /* a rank goes on when those below it do what is expected */
#define NOTICE_FIRST    (MISTAKE == 10) /* the notice is posted before the PUSH has landed */
#define FLIPS_EARLY     (MISTAKE == 11) /* a receiver flips before its message has landed */
#define LEAVES_EARLY    (MISTAKE == 12) /* a sender ends the phase while its PUSH is in flight */
#define UNNOTICED       (MISTAKE == 13) /* no rank learns of a death */
#define DROPS_LIST      (MISTAKE == 14) /* the mark of a rank stands for all ranks below it */
#define OLD_SIGNAL      (MISTAKE == 15) /* the signal of a phase before counts */
#define OLD_OFFSET      (MISTAKE == 16) /* a sender keeps the first grant that it has got */
#define MISTAKES 16

#define NODES 3
#define PHASES 3 /* phases are numbered modulo PHASES; see begin */
#define NONE 255

#define BIT(r) (1 << (r))
#define ALL (BIT(NODES) - 1)
#define TO(r) (((r) + NODES - 1) % NODES) /* the rank that wants the data of rank r */
#define FROM(r) (((r) + 1) % NODES)       /* the rank whose data rank r wants */
#if CHAIN
#define PARENT(r) ((r) - 1)
#define CHILDREN(r) ((r) < NODES - 1 -> BIT((r) + 1) : 0)
#else
#define PARENT(r) 0
#define CHILDREN(r) ((r) == 0 -> ALL - 1 : 0)
#endif

#define EMPTY(p) ((p) == 1) /* in this phase senders have nothing new */
#define PAIR(from, to) ((from) * NODES + (to))
#define PAIRS (NODES * NODES)

/* Bundles, with the phase, the set of ranks that send their wants, and the wants. */
chan ring[PAIRS] = [1] of { byte, byte, byte };

/* Words in the memory of a rank. Each holds the phase in which it was written. A store lands at
 * once: its reader polls at any later time. */
byte signal[PAIRS] = NONE; bit follows[PAIRS]; /* by writer and reader, both neighbours */
byte grant[NODES] = NONE, offset[NODES];       /* by the receiver that grants; read at the sender */
byte notice[NODES] = NONE; bit nothing[NODES]; /* by the receiver, which reads it */

/* Bulk memory. */
#define HOST 0
#define NET 1
bit bank[NODES];              /* who uses it now */
byte reserved[NODES] = NONE;  /* the phase for whose message memory is reserved */
byte place[NODES];            /* where */
byte filled[NODES] = NONE;    /* the phase whose message lies in the sender's memory */
byte landed[NODES] = NONE;    /* by receiver: the phase of the message that has landed */
byte flying[NODES] = NONE;    /* by receiver: the phase of the PUSH that is in flight */
byte target[NODES];           /* by receiver: its offset */

/* What is true. */
byte wants[PHASES];           /* by phase: the set of ranks that want data */
byte taken[PHASES];           /* by phase: 1 if a rank takes it for new, 2 for a repeat */
bit unread[PAIRS];            /* its reader has not read the signal */
bool died;
bool dead[NODES];

#define MISHAP \
	:: DIE && !died -> died = true; dead[me] = true; goto over \
	:: died && !UNNOTICED -> goto over

/* lands lets the PUSH to a rank land, in memory that is reserved for it. */
inline lands(r) {
	if
	:: dead[r]
	:: else ->
		assert(bank[r] == NET && reserved[r] == flying[r] && place[r] == target[r]);
		assert(dead[FROM(r)] || died || bank[FROM(r)] == NET && filled[FROM(r)] == flying[r]);
		landed[r] = flying[r]
	fi;
	flying[r] = NONE;
	target[r] = 0
}

proctype network() {
end:	do
	:: d_step { flying[0] != NONE -> lands(0) }
	:: d_step { flying[1] != NONE -> lands(1) }
	:: d_step { flying[2] != NONE -> lands(2) }
	od
}

/* flip gives the bulk memory to the host. No PUSH from it or to it is in flight. */
inline flip() {
	assert(flying[me] == NONE && flying[TO(me)] == NONE);
	bank[me] = HOST;
	reserved[me] = NONE;
	place[me] = 0;
	filled[me] = NONE
}

/* reserve begins a round of this rank, with the roles that it has in a schedule. */
inline reserve(s, at) {
	if
	:: s & (BIT(me) | BIT(TO(me))) ->
		assert(bank[me] == HOST);
		bank[me] = NET;
		if
		:: s & BIT(me) -> reserved[me] = phase; place[me] = at
		:: else
		fi;
		if
		:: s & BIT(TO(me)) -> filled[me] = phase
		:: else
		fi
	:: else
	fi
}

/* begin enters a phase. Ranks are at most one phase apart, so nobody uses what is left of the phase
 * before the last one. It is cleared, because its number comes again. */
#define OLD ((phase + PHASES - 2) % PHASES)
inline begin() {
	wants[OLD] = 0;
	taken[OLD] = 0;
	do
	:: x < PAIRS -> signal[x] = (signal[x] == OLD -> NONE : signal[x]); x++
	:: else -> break
	od;
	x = 0;
	do
	:: x < NODES ->
		grant[x] = (grant[x] == OLD -> NONE : grant[x]);
		notice[x] = (notice[x] == OLD -> NONE : notice[x]);
		landed[x] = (landed[x] == OLD -> NONE : landed[x]);
		x++
	:: else -> break
	od;
	x = 0;
	wants[phase] = wants[phase] | (own << me);
	due = CHILDREN(me);
	marks = expected != NONE && ((expected >> me & 1) == own || MARKS_WRONG && me == 1);
	/* Sent is the set of ranks of this subtree that send their wants, which are in said. */
	sent = (marks -> 0 : BIT(me));
	said = (marks -> 0 : own << me);
	foreseen = marks && twice;
	if
	:: foreseen && !RESERVES_LATE -> reserve(expected, at)
	:: else
	fi
}

/* post sends what this rank knows to a neighbour: a mark, or a bundle. */
inline post(to) {
	assert(!unread[PAIR(me, to)]); /* the line has been read */
	follows[PAIR(me, to)] = sent != 0 && !(DROPS_LIST && to < me && marks);
	if
	:: follows[PAIR(me, to)] -> ring[PAIR(me, to)]!phase, sent, said
	:: else
	fi;
	signal[PAIR(me, to)] = phase;
	unread[PAIR(me, to)] = 1
}

#define SEEN(peer) ( \
	(signal[PAIR(peer, me)] == phase && unread[PAIR(peer, me)] || \
		OLD_SIGNAL && signal[PAIR(peer, me)] != NONE) && \
	(!follows[PAIR(peer, me)] || nempty(ring[PAIR(peer, me)])))

/* takes takes the signal of a neighbour, and the bundle that follows it. */
inline takes(peer) {
	unread[PAIR(peer, me)] = 0;
	if
	:: follows[PAIR(peer, me)] ->
		follows[PAIR(peer, me)] = 0;
		ring[PAIR(peer, me)]?p, x, y;
		assert(p == phase); /* no bundle of another phase */
		sent = sent | x;
		said = said | y;
		p = 0; x = 0; y = 0
	:: else
	fi
}

#define CHILD(c) :: atomic { (due & BIT(c)) && SEEN(c) -> takes(c); due = due - BIT(c) }

/* decide computes the schedule, which is the same on all ranks and what all want. */
inline decide() {
	assert(sent != 0 || marks); /* all do as expected: so this rank has sent a mark */
	schedule = (sent == ALL -> said : (expected & (ALL - sent)) | said);
	assert(schedule == wants[phase]);
	repeats = twice && schedule == expected || OUT_OF_STEP && me == 2 && schedule == expected;
	assert(taken[phase] == 0 || taken[phase] == 1 + repeats);
	taken[phase] = 1 + repeats;
	if
	:: foreseen && !repeats && !KEEPS_RESERVED && bank[me] == NET -> flip()
	:: else
	fi;
	gives = schedule >> TO(me) & 1;
	gets = schedule >> me & 1;
	owes = gets && !repeats /* a grant */
}

inline launch(o) {
	flying[TO(me)] = phase;
	target[TO(me)] = o;
	gives = 0;
	notes = 1
}

#define GRANTED (grant[TO(me)] == phase || KEEPS_GRANT && grant[TO(me)] != NONE)
#define SERVED (!gives && !owes && (!notes || LEAVES_EARLY))
#define NOTED (notice[me] == phase || EMPTY_FOR_DATA && notice[me] != NONE)

/* receive flips, and reads the message. It is this phase's, and what its sender means. */
inline receive() {
	flip();
	if
	:: gets ->
		assert(landed[me] == phase);
		assert(nothing[me] == EMPTY(phase));
		landed[me] = NONE;
		gets = 0
	:: else
	fi
}

inline finish() {
	assert(bank[me] == HOST);
	twice = (schedule == expected);
	expected = (STALE_SCHEDULE && me == 1 && expected != NONE -> expected : schedule);
	phase = (phase + 1) % PHASES;
	schedule = 0; sent = 0; said = 0; marks = 0; foreseen = 0; repeats = 0
}

proctype rank(byte me) {
	byte phase;
	byte expected = NONE;     /* the schedule of the last phase */
	bit twice;                  /* that was the schedule of the phase before it, too */
	byte at, held = NONE;     /* the offset of this rank's grant, and of the grant that it has */
	byte schedule, sent, said, due;
	bit own, marks, foreseen, repeats;
	bit gives, gets, owes, notes; /* what is left of this phase: a PUSH, a message, a grant, a notice */
	byte p, x, y;

compute:
	atomic {
		if
		MISHAP
		:: own = 0
		:: own = 1
		fi;
		d_step { begin() }
	};
	do
	MISHAP
	CHILD(1)
	CHILD(2)
	:: due == 0 -> break
	od;
	if
	MISHAP
	:: atomic { me != 0 -> post(PARENT(me)) }
	:: me == 0
	fi;
	if
	:: RESERVES_LATE && foreseen -> d_step { reserve(expected, at) }
	:: else
	fi;
	if
	:: PUSHES_EARLY && foreseen && (expected >> TO(me) & 1) -> d_step { launch(held); notes = 0 }
	:: else
	fi;
	if
	MISHAP
	:: WAITS_NOT && me != 0 && sent == 0
	:: atomic { me != 0 && SEEN(PARENT(me)) -> takes(PARENT(me)) }
	:: me == 0
	fi;
	/* Down goes the bundle of all ranks. */
	if
	:: atomic { CHILDREN(me) & BIT(1) -> post(1) }
	:: else
	fi;
	if
	:: atomic { CHILDREN(me) & BIT(2) -> post(2) }
	:: else
	fi;
	atomic {
		d_step { decide() };
		if
		:: repeats || !gets
		:: !repeats && gets -> at = 0
		:: !repeats && gets && me == 0 -> at = 1 /* behind another message */
		fi;
		if
		:: !repeats -> d_step { reserve(schedule, at) }
		:: else
		fi
	};

	do
	MISHAP
	:: d_step { owes -> grant[me] = phase; offset[me] = at; owes = 0 }
	:: d_step { gives && repeats -> launch(held) }
	:: d_step { gives && !repeats && GRANTED ->
		held = (OLD_OFFSET && held != NONE -> held : offset[TO(me)]);
		launch(offset[TO(me)]); offset[TO(me)] = 0 }
	:: d_step { notes && (flying[TO(me)] == NONE || NOTICE_FIRST) ->
		notice[TO(me)] = phase; nothing[TO(me)] = EMPTY(phase); notes = 0 }
	:: d_step { SERVED && (!gets || NOTED || FLIPS_EARLY) && bank[me] == NET -> receive() }
	:: d_step { SERVED && !gets && bank[me] == HOST -> notes = 0; finish() }; goto compute
	od;

over:	skip;
	d_step { /* clear the state, so that fewer states differ */
		dead[me] = true;
		phase = 0; expected = 0; twice = 0; at = 0; held = 0; schedule = 0; sent = 0; said = 0; due = 0;
		own = 0; marks = 0; foreseen = 0; repeats = 0; gives = 0; gets = 0; owes = 0; notes = 0
	}
}

init {
	atomic {
		run network();
		run rank(0);
		run rank(1);
		run rank(2)
	}
}
