/** The time that all sliced work may take together in one turn of the event loop before the next yields. */
const MAX_SLICE_MS = 10;
/** The same before a part of work in slices, which may itself take 10 to 30 ms, as parsing a megabyte does. */
const BEFORE_PART_MS = 3;

/** When the work of this turn began. Undefined: none yet. */
let began: number | undefined;

type Waiter = { maxMs: number; resume: () => void };

/** In the order in which they are resumed. */
const waiters: Waiter[] = [];
let isNextTurnSet = false;
/** Waiters are being resumed, in the phase of the event loop that runs immediates. */
let isResuming = false;
/** The end of the previous such phase. While waiters are queued the loop is never idle, so since then other code ran. */
let previousTurnEnded = 0;
let isPostponed = false;

/** Counts the following work towards this turn of the event loop. */
export function beginWork(): number {
  if (began !== undefined) return began;
  began = performance.now();
  setImmediate(() => {
    began = undefined;
  });
  return began;
}

/**
 * Whether this turn's slice is used up. For work started concurrently, each item checking right before it begins: an
 * `await` in between would let all of them pass.
 */
export function isSliceOver(maxMs = MAX_SLICE_MS): boolean {
  return performance.now() - beginWork() >= maxMs;
}

/** The same, without counting what follows towards this turn: for code that usually takes microseconds. */
export function hasTakenLong(): boolean {
  return began !== undefined && performance.now() - began >= MAX_SLICE_MS;
}

/**
 * Await this before work that may take milliseconds: between the items of a batch, or before validating a value against
 * a schema. Continues at once unless this turn's slice is used up, by any code: forty responses that arrive together
 * are validated in forty turns.
 */
export async function yieldToEventLoop(): Promise<void> {
  if (isSliceOver()) await nextTurn(MAX_SLICE_MS);
}

/** At least every second turn resumes a waiter, so that none starves while other code keeps the turns long. */
function nextTurn(maxMs: number): Promise<void> {
  return new Promise((resume) => {
    waiters.push({ maxMs, resume });
    setNextTurn();
  });
}

function setNextTurn(): void {
  if (isNextTurnSet || waiters.length === 0) return;
  isNextTurnSet = true;
  // After I/O, an immediate would still run in the same turn.
  setImmediate(isResuming ? beginTurn : beginInNextTurn);
}

function beginInNextTurn(): void {
  previousTurnEnded = performance.now();
  setImmediate(beginTurn);
}

function beginTurn(): void {
  // A row of a megabyte was parsed in this turn: another part as long would double it.
  isPostponed = !isPostponed && performance.now() - previousTurnEnded >= MAX_SLICE_MS;
  if (isPostponed) {
    beginInNextTurn();
    return;
  }
  isNextTurnSet = false;
  isResuming = true;
  beginWork();
  began = performance.now();
  resumeNext();
}

/** Resumes waiters until this turn's slice is used up. */
function resumeNext(): void {
  waiters.shift()?.resume();
  // Promises settle before the next tick, so the waiter has done its work by then.
  queueMicrotask(() =>
    process.nextTick(() => {
      const next = waiters[0];
      if (next && !isSliceOver(next.maxMs)) return resumeNext();
      setNextTurn();
      isResuming = false;
      previousTurnEnded = performance.now();
    }),
  );
}

/** Runs synchronous work that yields between its items. */
export async function inSlices<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    if (isSliceOver(BEFORE_PART_MS)) await nextTurn(BEFORE_PART_MS);
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Runs such work to its end without yielding: for small values. */
export function runSync<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** For work that seldom yields: if it does not, the result is returned at once, without a promise. */
export function runSyncOrInSlices<T>(work: Generator<void, T>): T | Promise<T> {
  const { done, value } = work.next();
  return done ? value : inSlices(work);
}
