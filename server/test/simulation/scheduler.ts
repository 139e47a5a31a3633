import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type { Db, Result, Transaction } from "../../src/platform/database/db.ts";
import { runSql, type TestConnection } from "../world/database.ts";

/** What happens to a statement: it runs, its connection breaks before it, or after it and before the reply. */
export type Fate = "runs" | "lost before" | "lost after";

/** A statement that waits at its gate. */
type Waiting = { member: number; text: string; go: (fate: Fate) => Promise<void> };

export type Scheduler = {
  /** The database as one instance sees it, until the instance dies. */
  connect: (real: Db, member: number) => Member;
  /** The statements that may run next: the first of each transaction. Resolves when no instance computes. */
  waiting: (isBusy: (member: number) => boolean) => Promise<Waiting[]>;
  /** Whether an instance has a statement at a gate, or one that waits for a lock. */
  isHeld: (member: number) => boolean;
  /** From now on, or no longer, statements run at once. */
  openGates: () => void;
  closeGates: () => void;
};

export type Member = { db: Db; die: () => void };

type Held = {
  member: number;
  stream: Stream;
  text: string;
  run: () => Promise<unknown>;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
};
/** The statements of one transaction run in the order of the calls. */
type Stream = { lose: () => void; isLost: () => boolean };

const CALM_TURNS = 3;
const PATIENT_TURNS = 40;
const LOCKED_AFTER_MS = 15;

const connectionLost = () => Object.assign(new Error("Connection terminated"), { code: "ECONNRESET" });
/** Not a lost connection, so that nothing retries: the process is gone. */
const died = () => new Error("the simulated instance died");

/** Statements of several instances in one process run one at a time, in the order that the caller chooses. */
export function openScheduler(connection: TestConnection): Scheduler {
  const atGate: Held[] = [];
  const running = new Set<Held>();
  let isOpen = true;
  let arrivals = 0;

  function enter<T>(member: number, stream: Stream, text: string, run: () => Promise<T>): Promise<T> {
    arrivals++;
    if (isOpen) return run();
    return new Promise((resolve, reject) => atGate.push({ member, stream, text, run, resolve, reject }));
  }

  async function go(held: Held, fate: Fate): Promise<void> {
    atGate.splice(atGate.indexOf(held), 1);
    if (fate === "lost before") {
      held.stream.lose();
      held.reject(connectionLost());
      return;
    }
    await execute(held, fate);
  }

  async function execute(held: Held, fate: Fate): Promise<void> {
    // Sent together with the one that was lost.
    if (held.stream.isLost()) return held.reject(connectionLost());
    running.add(held);
    const done = held.run().then(
      (result) => {
        running.delete(held);
        if (fate === "runs") return held.resolve(result as never);
        held.stream.lose();
        held.reject(connectionLost());
      },
      (error) => {
        running.delete(held);
        held.reject(error);
      },
    );
    await Promise.race([done, pause(LOCKED_AFTER_MS)]);
    // Until it has ended, or waits for a lock like the others that have not ended.
    while (running.size > 0 && (await countLocked()) < running.size) await pause(2);
  }

  async function countLocked(): Promise<number> {
    const [row] = await runSql<{ count: number }>(connection, {
      name: "count-locked",
      text: `select count(*)::int as count from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock'`,
    });
    return row?.count ?? 0;
  }

  function connect(real: Db, member: number): Member {
    const open = new Set<() => void>();
    let isDead = false;
    const enterIfAlive = <T>(stream: Stream, text: string, run: () => Promise<T>) => {
      if (isDead) return Promise.reject(died());
      return stream.isLost() ? Promise.reject(connectionLost()) : enter(member, stream, text, run);
    };

    async function begin(): Promise<Transaction> {
      if (isDead) throw died();
      const trx = await real.begin();
      let isOver = false;
      let isLost = false;
      const end = () => {
        open.delete(end);
        isLost = true;
        if (!isOver) void trx.rollback().catch(() => {});
        isOver = true;
      };
      open.add(end);
      const stream: Stream = { lose: end, isLost: () => isLost };
      return {
        query: (text, parameters) => enterIfAlive(stream, text, () => trx.query(text, parameters)) as Promise<never>,
        begin: trx.begin,
        commit: (options) =>
          enterIfAlive(stream, "commit", async () => {
            isOver = true;
            open.delete(end);
            await trx.commit(options).catch((error) => {
              isOver = false;
              throw error;
            });
          }),
        rollback: async () => {
          open.delete(end);
          if (isOver) return;
          isOver = true;
          await trx.rollback();
        },
      };
    }

    function query<Row>(text: string, parameters: unknown[]): Promise<Result<Row>> {
      const stream: Stream = { lose: () => {}, isLost: () => false };
      return enterIfAlive(stream, text, () => real.query<Row>(text, parameters));
    }

    function die(): void {
      isDead = true;
      const own = (held: Held) => held.member === member;
      for (const held of [...atGate, ...running].filter(own)) held.reject(died());
      atGate.splice(0, atGate.length, ...atGate.filter((held) => !own(held)));
      for (const end of [...open]) end();
    }

    return { db: { query, begin }, die };
  }

  async function waiting(isBusy: (member: number) => boolean): Promise<Waiting[]> {
    const members = [...Array(MAX_MEMBERS).keys()];
    for (let calm = 0, turns = 0, seen = arrivals; calm < CALM_TURNS; turns++) {
      await (turns < PATIENT_TURNS ? nextTurn() : pause(1));
      calm = seen === arrivals && !members.some(isBusy) ? calm + 1 : 0;
      seen = arrivals;
    }
    const streams = new Set<Stream>([...running].map(({ stream }) => stream));
    const first = atGate.filter(({ stream }) => !streams.has(stream) && streams.add(stream));
    return first.map((held) => ({ member: held.member, text: held.text, go: (fate) => go(held, fate) }));
  }

  return {
    connect,
    waiting,
    isHeld: (member) => [...atGate, ...running].some((held) => held.member === member),
    closeGates: () => {
      isOpen = false;
    },
    openGates: () => {
      isOpen = true;
      for (const held of atGate.splice(0)) {
        if (held.stream.isLost()) held.reject(connectionLost());
        else void held.run().then(held.resolve as never, held.reject);
      }
    },
  };
}

const MAX_MEMBERS = 8;
