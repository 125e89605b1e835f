/*
 * The phase protocol of Fagus: gather, plan, transfer, done, through rings with
 * flow control, for NODES nodes and one sync variable. README.md says what is
 * modelled, what is not, and how to run it.
 *
 *	NODES    2 or 3
 *	K        slots of a ring, 1 or 2
 *	DIE      1: one node may die, at any step
 *	COARSE   1: larger steps, which leave out interleavings that commute
 *	LIVE     defined: with the property that is to be checked with fairness
 *	MISTAKE  0, or one of the planted mistakes below
 */
#ifndef NODES
#define NODES 2
#endif
#ifndef K
#define K 1
#endif
#ifndef DIE
#define DIE 0
#endif
#ifndef COARSE
#define COARSE 0
#endif
#ifndef MISTAKE
#define MISTAKE 0
#endif

/* The planted mistakes. Each breaks one rule of the engine. */
#define READS_AHEAD     (MISTAKE == 1)  /* polls a ring from which nothing is due */
#define EXTRA_CREDIT    (MISTAKE == 2)  /* takes one slot more for free */
#define FINISHES_EARLY  (MISTAKE == 3)  /* finishes before all is sent */
#define FLAG_FIRST      (MISTAKE == 4)  /* posts the send-complete flag before the data */
#define GRANTS_TWO      (MISTAKE == 5)  /* grants an exclusive request beside another */
#define STALE_OWNER     (MISTAKE == 6)  /* an exclusive tenure does not make an owner */
#define NO_VERSIONS     (MISTAKE == 7)  /* who has a copy of any version is sent nothing */
#define FREES_FIRST     (MISTAKE == 8)  /* gives a slot back before it is read */
#define KEEPS_SLOT      (MISTAKE == 9)  /* ends a phase while it owes a flag, and forgets it */
#define NO_TURNS        (MISTAKE == 10) /* grants the lowest rank first, for ever */
#define STAYS_OUT       (MISTAKE == 11) /* who wants nothing need not take part */
#define UNNOTICED       (MISTAKE == 12) /* nobody hears of a death */
#define MISTAKES 12

/* Phases are numbered modulo PHASES: at least 3, so that the phase before, this
 * one and the next differ, and a multiple of NODES, so that turns come as in the
 * engine. */
#if NODES == 2
#define PHASES 4
#else
#define PHASES 3
#endif
#define PIECES 2 /* data frames that bring the variable: more than a ring of 1 holds */

/* What a list wants. */
#define NOTHING 0
#define SHARED 1
#define EXCLUSIVE 2

/* A frame is what a slot holds. */
#define LIST 1 /* arg: a want, and for how many phases it has waited */
#define DATA 2 /* arg: whether it is of the newest version */
#define ENTRY(want, age) ((want) + 4 * (age))
#define WANT(entry) ((entry) % 4)
#define AGE(entry) ((entry) / 4)
#define ABSENT 255 /* no list has come */

typedef Frame {
	byte kind; /* 0: nothing that the sender has written and the receiver not read */
	byte phase;
	byte arg
}

/* Everything below that has a PAIR as its index belongs to the ring from one node
 * to another. */
#define PAIR(from, to) ((from) * NODES + (to))
#define PAIRS (NODES * NODES)

Frame slot[PAIRS * K];                 /* in the receiver's memory */
chan ring[PAIRS] = [K + 1] of { byte } /* send-complete flags: numbers of slots */
byte credit[PAIRS];                    /* receive-complete flags that the sender has not used */
byte sent[PAIRS];                      /* data frames of this phase, for the receiver's count */

bool newest[NODES * PIECES]; /* each node's copy, piece by piece, is of the newest version */
byte held[NODES];            /* the tenures there are now */

bool died; /* a node has */

/* Scratch of one step. */
hidden byte i, r, s, arg, taken;

#define BIT(rank) (1 << (rank))
#define NEXT(rank) (((rank) + 1) % NODES)
#define THIRD(rank) (((rank) + 2) % NODES)

/*
 * The steps of a node.
 */

/* write puts a frame into the next slot of the ring to a peer. */
inline write(to, k, a) {
	slot[PAIR(me, to) * K + pos[to]].kind = k;
	slot[PAIR(me, to) * K + pos[to]].phase = phase;
	slot[PAIR(me, to) * K + pos[to]].arg = a
}

/* flag says that the slot is written. */
inline flag(to) {
	ring[PAIR(me, to)] ! pos[to]
}

/* put is the first half of sending a frame, complete the second. */
inline put(to, k, a) {
	assert(len(ring[PAIR(me, to)]) < K); /* no overrun: a slot is free */
	credit[PAIR(me, to)]--;
	left[to]--;
	busy[to] = true;
	if
	:: FLAG_FIRST -> flag(to)
	:: else -> write(to, k, a)
	fi;
	if
	:: COARSE -> complete(to, k, a)
	:: else
	fi
}

inline complete(to, k, a) {
	if
	:: FLAG_FIRST -> write(to, k, a)
	:: else -> flag(to)
	fi;
	busy[to] = false;
	pos[to] = (pos[to] + 1) % K
}

/* take reads a slot and empties it, which is the first half of receiving a frame;
 * free posts the receive-complete flag. */
inline take(from, k) {
	ring[PAIR(from, me)] ? s;
	assert(slot[PAIR(from, me) * K + s].kind != 0);      /* what the flag promised is there */
	assert(slot[PAIR(from, me) * K + s].phase == phase); /* no frame of another phase */
	assert(slot[PAIR(from, me) * K + s].kind == k);
	arg = slot[PAIR(from, me) * K + s].arg;
	slot[PAIR(from, me) * K + s].kind = 0;
	slot[PAIR(from, me) * K + s].phase = 0;
	slot[PAIR(from, me) * K + s].arg = 0;
	s = 0;
	due[from]--;
	owing[from] = !FREES_FIRST;
	if
	:: COARSE -> free(from)
	:: else
	fi
}

inline free(from) {
	credit[PAIR(from, me)]++;
	owing[from] = FREES_FIRST
}

#define CANPUT(to) (left[to] > 0 && !busy[to] && credit[PAIR(me, to)] > 0)
#define CANTAKE(from) ((due[from] > 0 || READS_AHEAD) && owing[from] == FREES_FIRST && \
	len(ring[PAIR(from, me)]) > 0)
/* The mistake FREES_FIRST turns owing round: the flag goes out as soon as a frame
 * is there, and then the frame is read. */
#define CANFREE(from) (FREES_FIRST -> \
	(due[from] > 0 && !owing[from] && len(ring[PAIR(from, me)]) > 0) : owing[from])
#define OVER(peer) ((left[peer] == 0 && !busy[peer] || FINISHES_EARLY) && due[peer] == 0 && \
	(!owing[peer] || KEEPS_SLOT))
#if NODES == 2
#define QUIET OVER(NEXT(me))
#else
#define QUIET (OVER(NEXT(me)) && OVER(THIRD(me)))
#endif

/* What may happen at any step. A dead node does nothing more. The runtime then
 * fails every port, some time later, and who finds its port failed stops. */
#define MISHAP \
	:: DIE && !died -> died = true; goto dead \
	:: died && !UNNOTICED -> goto stopped

inline put_list(peer) {
	put(peer, LIST, ENTRY(want, age))
}

/* A piece has the number of frames that follow it. */
#define PIECE(number) newest[me * PIECES + (number)]

inline put_piece(peer) {
	sent[PAIR(me, peer)]++;
	put(peer, DATA, PIECE(left[peer]))
}

/* AT_ONCE puts what can be put at the beginning of a step, if steps are large. */
#if COARSE
#define TRY(peer, step) if :: CANPUT(peer) -> step(peer) :: else fi
#if NODES == 2
#define AT_ONCE(step) ; TRY(NEXT(me), step)
#else
#define AT_ONCE(step) ; TRY(NEXT(me), step); TRY(THIRD(me), step)
#endif
#else
#define AT_ONCE(step)
#endif

/* What a node that gathers can do with a peer. */
#define LISTS(peer) \
	:: d_step { CANPUT(peer) -> put_list(peer) } \
	:: d_step { busy[peer] -> complete(peer, LIST, ENTRY(want, age)) } \
	:: d_step { CANTAKE(peer) -> take(peer, LIST); list[peer] = arg; arg = 0 } \
	:: d_step { CANFREE(peer) -> free(peer) }

/* What a node that transfers can do with a peer. */
#define PIECES_OF(peer) \
	:: d_step { CANPUT(peer) -> put_piece(peer) } \
	:: d_step { busy[peer] -> complete(peer, DATA, PIECE(left[peer])) } \
	:: d_step { CANTAKE(peer) -> take(peer, DATA); PIECE(due[peer]) = arg; arg = 0; got++ } \
	:: d_step { CANFREE(peer) -> free(peer) }

/* begin makes the own list: one to send to each, one due from each. */
inline begin() {
	held[me] = NOTHING; /* a release needs no message */
	list[me] = ENTRY(want, age);
	i = 0;
	do
	:: i < NODES ->
		if
		:: i != me -> left[i] = 1; due[i] = 1; owing[i] = (KEEPS_SLOT -> false : owing[i])
		:: else
		fi;
		i++
	:: else -> break
	od;
	i = 0
}

/* grant decides who gets what he wants: first who asked in the earliest phase,
 * among those by rank, rotated by the phase. */
inline grant() {
	granted = 0;
	taken = NOTHING;
	i = 0;
	do
	:: i < NODES * NODES ->
		r = (NO_TURNS -> i % NODES : (phase + i) % NODES);
		if
		:: AGE(list[r]) == NODES - 1 - i / NODES || (NO_TURNS && i < NODES) ->
			if
			:: WANT(list[r]) == EXCLUSIVE && (taken == NOTHING || GRANTS_TWO) ->
				granted = granted | BIT(r); taken = EXCLUSIVE
			:: WANT(list[r]) == SHARED && taken != EXCLUSIVE ->
				granted = granted | BIT(r); taken = SHARED
			:: else
			fi
		:: else
		fi;
		i++
	:: else -> break
	od;
	r = 0; taken = NOTHING; i = 0
}

/* schedule: the owner serves those of the granted that lack the newest version. */
inline schedule() {
	i = 0;
	do
	:: i < NODES ->
		if
		:: (granted & BIT(i)) && i != owner && !(fresh & BIT(i)) ->
			if
			:: me == owner -> left[i] = PIECES
			:: me == i -> due[owner] = PIECES
			:: else
			fi
		:: else
		fi;
		i++
	:: else -> break
	od;
	i = 0
}

/* apply moves the own table past the phase. */
inline apply() {
	i = 0;
	do
	:: i < NODES ->
		if
		:: !(granted & BIT(i))
		:: else ->
			if
			:: WANT(list[i]) == EXCLUSIVE ->
				owner = (STALE_OWNER -> owner : i);
				fresh = (NO_VERSIONS -> fresh | BIT(i) : BIT(i))
			:: else -> fresh = fresh | BIT(i)
			fi
		fi;
		list[i] = ABSENT;
		/* What came is what was sent: nothing is left behind in a ring. */
		if
		:: i != me && sent[PAIR(i, me)] > 0 ->
			assert(sent[PAIR(i, me)] == got);
			sent[PAIR(i, me)] = 0;
			got = 0
		:: else
		fi;
		i++
	:: else -> break
	od;
	assert(got == 0);
	i = 0
}

/* tenure ends the phase: it begins what was granted, and checks that it may. */
inline tenure() {
	if
	:: granted & BIT(me) ->
		do
		:: i < NODES ->
			assert(i == me || held[i] == NOTHING || want == SHARED && held[i] == SHARED);
			i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < PIECES -> assert(newest[me * PIECES + i]); i++
		:: else -> break
		od;
		i = 0;
		held[me] = want;
		if
		:: want == EXCLUSIVE -> /* it writes the variable: all other copies are old now */
			do
			:: i < NODES * PIECES -> newest[i] = (i / PIECES == me); i++
			:: else -> break
			od;
			i = 0;
			do
			:: i < PAIRS -> assert(sent[i] == 0); i++ /* and none is under way */
			:: else -> break
			od;
			i = 0
		:: else
		fi;
		want = NOTHING;
		age = 0
	:: else ->
		age = (want == NOTHING -> 0 : age + 1);
		assert(age < NODES) /* it waits for each other once at most */
	fi;
	granted = 0;
	phase = (phase + 1) % PHASES
}

proctype node(byte me) {
	byte phase, want, age;
	byte owner, fresh = BIT(NODES) - 1; /* the own table: version 0, which all have */
	byte list[NODES] = ABSENT;          /* of this phase */
	byte granted;                       /* set of ranks */
	byte left[NODES], due[NODES];       /* frames to each peer, and from it */
	bool busy[NODES], owing[NODES];     /* halfway in a frame to it, and from it */
	byte pos[NODES];                    /* the next slot of the ring to it */
	byte got;                           /* data frames of this phase */

compute:
	atomic {
		if
		MISHAP
		:: want != NOTHING /* it was not granted, and asks again */
		:: want == NOTHING -> want = SHARED
		:: want == NOTHING -> want = EXCLUSIVE
		:: want == NOTHING /* and takes part all the same */
		:: STAYS_OUT && want == NOTHING -> goto compute
		fi;
		d_step { begin() AT_ONCE(put_list) }
	};

gather:
	do
	MISHAP
	LISTS(NEXT(me))
#if NODES == 3
	LISTS(THIRD(me))
#endif
	:: d_step { QUIET -> grant(); schedule() AT_ONCE(put_piece) }; goto transfer
	od;

transfer:
	do
	MISHAP
	PIECES_OF(NEXT(me))
#if NODES == 3
	PIECES_OF(THIRD(me))
#endif
	:: d_step { QUIET -> apply(); tenure() }; goto compute
	od;

stopped: /* with the error that a peer died */
dead:
	skip;
	d_step { /* what it knew makes no difference any more */
		phase = 0; want = 0; age = 0; owner = 0; fresh = 0; granted = 0; got = 0;
		do
		:: i < NODES ->
			list[i] = 0; left[i] = 0; due[i] = 0; pos[i] = 0;
			busy[i] = false; owing[i] = false;
			i++
		:: else -> break
		od;
		i = 0
	}
}

init {
	d_step {
		i = 0;
		do
		:: i < PAIRS -> credit[i] = K + EXTRA_CREDIT; i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < NODES * PIECES -> newest[i] = true; i++
		:: else -> break
		od;
		i = 0
	};
	atomic {
		run node(0);
		run node(1);
#if NODES == 3
		run node(2)
#endif
	}
}

#ifdef LIVE
#if DIE
/* Who hears of a death stops. */
ltl live { [](died -> <>(_nr_pr <= 1)) }
#else
/* Every node keeps getting phases. */
ltl live { []<>node[1]@compute && []<>node[2]@compute }
#endif
#endif
