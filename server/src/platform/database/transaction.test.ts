import { beforeAll, describe, expect, it, vi } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import type { Ctx, InTransaction } from "../context.ts";
import { ApiError } from "../errors/errors.ts";
import { sql } from "./sql.ts";
import { inTransaction } from "./transaction.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await runSql(world.connection, "create table counters (name text primary key, value integer not null)");
});

async function counter(name: string): Promise<string> {
  await runSql(world.connection, "insert into counters values ($1, 0)", [name]);
  return name;
}

const valueIn = async (name: string) =>
  (await runSql<{ value: number }>(world.connection, "select value from counters where name = $1", [name]))[0]?.value;

const add = ({ db }: Ctx, name: string) => sql`update counters set value = value + 1 where name = ${name}`.execute(db);

/** Terminates the transaction's connection from outside, and waits until it is gone. */
async function endConnection({ db }: Ctx): Promise<void> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  await runSql(world.connection, "select pg_terminate_backend($1, 2000)", [rows[0]?.pid]);
}

describe("a transaction", () => {
  it("commits all changes, and returns the result of its work", async () => {
    const name = await counter("commit");
    const response = await inTransaction(world.ctx, async (tx) => {
      await add(tx, name);
      await add(tx, name);
      return "done";
    });
    expect(response).toBe("done");
    expect(await valueIn(name)).toBe(2);
  });

  it("rolls everything back and is not retried when the work fails", async () => {
    const name = await counter("rollback");
    let tries = 0;
    const work = async (tx: Ctx & InTransaction) => {
      tries++;
      await add(tx, name);
      throw new ApiError("conflict", "no");
    };
    await expect(inTransaction(world.ctx, work)).rejects.toThrow("no");
    await expect(inTransaction(world.ctx, ({ db }) => sql`select 1 / 0`.execute(db))).rejects.toThrow(/zero/);
    expect([tries, await valueIn(name)]).toEqual([1, 0]);
  });

  it("is retried after a deadlock: two that lock in opposite order both succeed", async () => {
    const [a, b] = [await counter("deadlock-a"), await counter("deadlock-b")];
    await runSql(world.connection, `alter database ${world.connection.database} set deadlock_timeout = '50ms'`);
    const instance = await world.anotherInstance();
    let tries = 0;
    let locked = 0;
    const cross = (first: string, second: string) =>
      inTransaction(instance.ctx, async (tx) => {
        tries++;
        await add(tx, first);
        locked++;
        await until("both to hold a lock", 20_000, () => locked >= 2);
        await add(tx, second);
      });
    await Promise.all([cross(a, b), cross(b, a)]);
    expect([await valueIn(a), await valueIn(b)]).toEqual([2, 2]);
    // More if the retry takes its lock before the other has woken, and the two deadlock again.
    expect(tries).toBeGreaterThanOrEqual(3);
  });

  it("is retried after a serialization failure: no update is lost", async () => {
    const name = await counter("serial");
    let tries = 0;
    let allHaveRead = () => {};
    const read = new Promise<void>((resolve) => {
      allHaveRead = resolve;
    });
    const addExactly = () =>
      inTransaction(world.ctx, async (tx) => {
        await sql`set transaction isolation level repeatable read`.execute(tx.db);
        const { rows } = await sql<{ value: number }>`select value from counters where name = ${name}`.execute(tx.db);
        if (++tries === 3) allHaveRead();
        await read; // guarantees that the three overlap
        await sql`update counters set value = ${(rows[0]?.value ?? 0) + 1} where name = ${name}`.execute(tx.db);
      });
    await Promise.all([addExactly(), addExactly(), addExactly()]);
    expect(await valueIn(name)).toBe(3);
    expect(tries).toBeGreaterThan(3);
  });

  it("gives up after four attempts and throws the last error", async () => {
    let tries = 0;
    const work = async ({ db }: Ctx) => {
      tries++;
      await sql`do $$ begin raise exception 'again' using errcode = '40001'; end $$`.execute(db);
    };
    await expect(inTransaction(world.ctx, work)).rejects.toThrow("again");
    expect(tries).toBe(4);
  });

  it("runs pipelined statements in the order of the calls", async () => {
    const name = await counter("together");
    const values = await inTransaction(world.ctx, async (tx) => {
      const value = () => sql<{ value: number }>`select value from counters where name = ${name}`.execute(tx.db);
      const [, first, , second] = await Promise.all([add(tx, name), value(), add(tx, name), value()]);
      return [...first.rows, ...second.rows];
    });
    expect(values).toEqual([{ value: 1 }, { value: 2 }]);
  });

  it("throws the first failure of pipelined statements, even if others arrive before it", async () => {
    const late = async ({ db }: Ctx) => {
      try {
        await sql`select 1 / 0`.execute(db);
      } catch (error) {
        await new Promise(setImmediate);
        throw error;
      }
    };
    const work = (tx: Ctx & InTransaction) => Promise.all([late(tx), add(tx, "none")]);
    await expect(inTransaction(world.ctx, work)).rejects.toThrow(/zero/);
  });

  it("rejects statements after its end, which would be a transaction of their own", async () => {
    for (const end of ["rollback", "commit"] as const) {
      const name = await counter(`late-${end}`);
      const trx = await world.ctx.db.begin();
      const over = trx[end]();
      await expect(add({ ...world.ctx, db: trx }, name)).rejects.toThrow("after the end");
      await over;
      expect(await valueIn(name)).toBe(0);
    }
  });

  it("is retried on another connection when its own was lost before the commit", async () => {
    const name = await counter("lost-before");
    let tries = 0;
    await inTransaction(world.ctx, async (tx) => {
      await add(tx, name);
      if (++tries === 1) await endConnection(tx);
      await add(tx, name);
    });
    expect([tries, await valueIn(name)]).toEqual([2, 2]);
  });

  it("is not retried when the connection was lost at the commit: the caller gets an error", async () => {
    const name = await counter("lost-at");
    let tries = 0;
    const work = async (tx: Ctx & InTransaction) => {
      tries++;
      await add(tx, name);
      await endConnection(tx);
    };
    await expect(inTransaction(world.ctx, work)).rejects.toMatchObject({ code: "service_unavailable" });
    expect([tries, await valueIn(name)]).toEqual([1, 0]);
  });

  it("sends its commit before the results of its last statements arrive", async () => {
    const name = await counter("commit-now");
    const order: string[] = [];
    await inTransaction(world.ctx, async (tx) => {
      const adding = Promise.all([add(tx, name), add(tx, name)]);
      tx.commitNow();
      await expect(add(tx, name)).rejects.toThrow("after the end");
      await adding;
      order.push("result");
      tx.afterCommit(() => order.push("committed"));
    });
    expect([order, await valueIn(name)]).toEqual([["result", "committed"], 2]);
  });

  it("changes nothing when a statement fails whose commit was sent already", async () => {
    const name = await counter("commit-now-failed");
    // More rounds than connections: each must be released.
    for (let round = 0; round < 12; round++) {
      const work = async (tx: Ctx & InTransaction) => {
        const adding = Promise.allSettled([add(tx, name), sql`select 1 / 0`.execute(tx.db), add(tx, name)]);
        tx.commitNow();
        const settled = await adding;
        // As the work would fail by itself, or not notice.
        if (round % 2) for (const each of settled) if (each.status === "rejected") throw each.reason;
      };
      await expect(inTransaction(world.ctx, work)).rejects.toThrow(/zero/);
    }
    expect(await valueIn(name)).toBe(0);
    await inTransaction(world.ctx, (tx) => add(tx, name));
  });

  it("keeps what it committed when its work fails afterwards, and leaves the connection to its next user", async () => {
    const name = await counter("failed-after");
    const seen: string[] = [];
    const work = async (tx: Ctx & InTransaction) => {
      tx.afterCommit(() => seen.push("committed"));
      tx.afterRollback(() => seen.push("rolled back"));
      const adding = add(tx, name);
      tx.commitNow();
      await adding;
      throw new Error("broken");
    };
    // More rounds than connections: each must be released, once.
    const rounds = await Promise.allSettled(Array.from({ length: 12 }, () => inTransaction(world.ctx, work)));
    expect(rounds).toEqual(Array(12).fill({ status: "rejected", reason: new Error("broken") }));
    expect([new Set(seen), seen.length, await valueIn(name)]).toEqual([new Set(["committed"]), 12, 12]);
  });

  it("is not retried when the connection is lost after its commit was sent", async () => {
    const name = await counter("commit-now-lost");
    let tries = 0;
    const work = async (tx: Ctx & InTransaction) => {
      tries++;
      const adding = Promise.all([add(tx, name), sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx.db)]);
      tx.commitNow();
      await adding;
    };
    await expect(inTransaction(world.ctx, work)).rejects.toMatchObject({ code: "service_unavailable" });
    expect([tries, await valueIn(name)]).toEqual([1, 0]);
  });

  it("waits for a connection while all are in use", async () => {
    const busy = await Promise.all(Array.from({ length: 10 }, () => world.ctx.db.begin()));
    const waiting = vi.spyOn(world.ctx.db, "query");
    const pending = world.admin.get("/v1/projects");
    await until("the request to wait for one", 20_000, () => waiting.mock.calls.length > 0);
    waiting.mockRestore();
    await Promise.all(busy.map((trx) => trx.rollback()));
    expect((await pending).status).toBe(200);
  });

  it("is not retried when no connection was available: the caller has waited long enough", async () => {
    let tries = 0;
    const work = async () => {
      tries++;
      throw new Error("timeout exceeded when trying to connect");
    };
    await expect(inTransaction(world.ctx, work)).rejects.toThrow("timeout exceeded");
    expect(tries).toBe(1);
  });

  it("always releases its connection: more losses than connections leave the pool intact", async () => {
    const name = await counter("pool");
    for (let round = 0; round < 12; round++) {
      await inTransaction(world.ctx, endConnection).catch(() => {});
      await inTransaction(world.ctx, ({ db }) => sql`select 1 / 0`.execute(db)).catch(() => {});
    }
    await Promise.all(Array.from({ length: 20 }, () => inTransaction(world.ctx, (tx) => add(tx, name))));
    expect(await valueIn(name)).toBe(20);
  });
});

describe("what follows a transaction", () => {
  /** Registers both kinds under a name, and returns the names that ran. */
  function recorder() {
    const ran: string[] = [];
    const follow = (tx: InTransaction, name: string) => {
      tx.afterCommit(() => ran.push(`commit ${name}`));
      tx.afterRollback(() => ran.push(`rollback ${name}`));
    };
    return { ran, follow };
  }

  it("runs after the commit in the order of the calls, outside the transaction", async () => {
    const name = await counter("follow-commit");
    const seen: unknown[] = [];
    const result = await inTransaction(world.ctx, async (tx) => {
      tx.afterCommit((ctx) => seen.push(ctx === world.ctx));
      await add(tx, name);
      tx.afterCommit(() => seen.push("second"));
      tx.afterRollback(() => seen.push("rollback"));
      expect(seen).toEqual([]);
      return "done";
    });
    expect([result, seen, await valueIn(name)]).toEqual(["done", [true, "second"], 1]);
  });

  it("does not run after a rollback; what was reserved in memory is released", async () => {
    const { ran, follow } = recorder();
    const work = async (tx: Ctx & InTransaction) => {
      follow(tx, "a");
      follow(tx, "b");
      throw new ApiError("conflict", "no");
    };
    await expect(inTransaction(world.ctx, work)).rejects.toThrow("no");
    expect(ran).toEqual(["rollback a", "rollback b"]);
  });

  it("is registered again by each attempt", async () => {
    const { ran, follow } = recorder();
    let tries = 0;
    await inTransaction(world.ctx, async (tx) => {
      follow(tx, `of attempt ${++tries}`);
      if (tries === 1) await sql`do $$ begin raise exception 'again' using errcode = '40001'; end $$`.execute(tx.db);
    });
    expect(ran).toEqual(["rollback of attempt 1", "commit of attempt 2"]);
  });

  it("treats a lost commit as a rollback", async () => {
    const { ran, follow } = recorder();
    const work = async (tx: Ctx & InTransaction) => {
      follow(tx, "it");
      await endConnection(tx);
    };
    await expect(inTransaction(world.ctx, work)).rejects.toMatchObject({ code: "service_unavailable" });
    expect(ran).toEqual(["rollback it"]);
  });

  it("logs a failure, which affects neither the result nor what else follows", async () => {
    const name = await counter("follow-failure");
    const error = vi.fn();
    const ctx = { ...world.ctx, log: { ...world.ctx.log, error } } as unknown as Ctx;
    const { ran, follow } = recorder();
    await inTransaction(ctx, async (tx) => {
      tx.afterCommit(() => {
        throw new Error("broken");
      });
      follow(tx, "the next");
      await add(tx, name);
    });
    expect([ran, await valueIn(name)]).toEqual([["commit the next"], 1]);
    expect(error).toHaveBeenCalledWith({ reason: expect.stringContaining("broken") }, expect.any(String));
  });

  it("cannot happen earlier: notifications and counters are unavailable inside the transaction", async () => {
    await inTransaction(world.ctx, async (tx) => {
      // @ts-expect-error: after the commit, by `wake`
      const early = [() => tx.wakeup.wake("test")];
      // @ts-expect-error: after the commit, by `afterCommit`
      early.push(() => tx.metrics.bulkOperations.inc());
      // @ts-expect-error: after the commit, by `afterCommit`
      early.push(() => tx.keyCache.clear());
      expect(early).toHaveLength(3);
    });
  });
});
