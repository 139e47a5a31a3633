import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testSeed } from "../../../test/seed/seed.ts";
import { sizeOf } from "../../../test/world/size.ts";
import { admitRuns, type Candidate, type Counters, type Waiter } from "./admit-runs.ts";
import { addStart, emptyWindow, nextRoomMs, roomIn, windowAt } from "./rate-window.ts";

fc.configureGlobal({ seed: testSeed("admit-runs") });

const NOW_MS = Date.parse("2030-01-01T00:00:00Z");

function windowWith(starts: number) {
  const window = windowAt(emptyWindow(60), 60, NOW_MS);
  for (let n = 0; n < starts; n++) addStart(window);
  return window;
}

function counters(
  active: Record<string, number> = {},
  starts: Record<string, number> = {},
  waiting: Record<string, Waiter[]> = {},
): Counters {
  return {
    unseen: [],
    waiting: new Map(Object.entries(waiting)),
    active: new Map(Object.entries(active)),
    windows: new Map(Object.entries(starts).map(([key, count]) => [key, windowWith(count)])),
  };
}

const run = (run_id: string, limits: Partial<Candidate> = {}): Candidate => ({
  run_id,
  rank: 0,
  granted_by: null,
  refused_since: null,
  since: 0,
  kept: [],
  keepable: [],
  refused: undefined,
  slots: [],
  rates: [],
  ...limits,
});

describe("admission under limits", () => {
  it("R4 goes by rank while there are slots", () => {
    const slots = [{ key: "job:j", max: 2 }];
    const locked = counters({ "job:j": 0 });
    const admission = admitRuns([run("a", { slots }), run("b", { slots }), run("c", { slots })], locked);
    expect(admission.admitted).toEqual([
      { run_id: "a", slots: ["job:j"] },
      { run_id: "b", slots: ["job:j"] },
    ]);
    expect(admission.blocked).toEqual([{ run_id: "c", reason: "job:j", kept: [] }]);
    expect(locked.active.get("job:j")).toBe(2);
  });

  it("R4 does not start before an earlier run that needs no other limits, even if there is room for both", () => {
    const slots = [{ key: "job:j", max: 9 }];
    const rates = [{ key: "rate:j:t:a", max: 9 }];
    const earlier = {
      run_id: "a",
      rank: 0,
      refused_since: 0,
      since: 0,
      is_granted: false,
      needs: ["job:j", "rate:j:t:a"],
    };
    const later = run("b", { rank: 1, granted_by: "job:j", since: 5, slots, rates });
    const admit = (needs: string[]) =>
      admitRuns([later], counters({}, { "rate:j:t:a": 0 }, { "rate:j:t:a": [{ ...earlier, needs }] }));
    expect(admit(earlier.needs)).toMatchObject({ admitted: [], blocked: [{ run_id: "b", reason: "rate:j:t:a" }] });
    expect([...admit(earlier.needs).offered]).toEqual([["rate:j:t:a", 2]]);
    const claimable = { ...earlier, refused_since: 6 };
    expect(admitRuns([later], counters({}, { "rate:j:t:a": 0 }, { "rate:j:t:a": [claimable] })).admitted).toEqual([]);
    const newer = { ...claimable, since: 6 };
    expect(admitRuns([later], counters({}, { "rate:j:t:a": 0 }, { "rate:j:t:a": [newer] })).admitted).toHaveLength(1);
    const unclaimed = { ...earlier, is_granted: true, since: -2_000_000 };
    expect(admitRuns([later], counters({}, { "rate:j:t:a": 0 }, { "rate:j:t:a": [unclaimed] })).admitted).toHaveLength(
      1,
    );
    expect(admit([...earlier.needs, "rate:j:u:full"]).admitted).toMatchObject([{ run_id: "b" }]);
  });

  it("R4 does not make one key wait for another", () => {
    const of = (key: string) => ({ slots: [{ key, max: 1 }] });
    const { admitted, blocked } = admitRuns([run("a", of("k1")), run("b", of("k1")), run("c", of("k2"))], counters());
    expect(admitted.map((each) => each.run_id)).toEqual(["a", "c"]);
    expect(blocked).toEqual([{ run_id: "b", reason: "k1", kept: [] }]);
  });

  it("R4 admits none when the limit was lowered below the active count", () => {
    const { blocked } = admitRuns([run("a", { slots: [{ key: "k", max: 1 }] })], counters({ k: 5 }));
    expect(blocked).toEqual([{ run_id: "a", reason: "k", kept: [] }]);
  });

  it("R5 counts a start in every window of the run", () => {
    const rates = [
      { key: "rate:j::", max: 5 },
      { key: "rate:j:tenant:t1", max: 1 },
    ];
    const locked = counters({}, { "rate:j::": 0, "rate:j:tenant:t1": 0 });
    const { admitted, blocked, nextRoomMs: next } = admitRuns([run("a", { rates }), run("b", { rates })], locked);
    expect(admitted).toEqual([{ run_id: "a", slots: [] }]);
    expect(blocked).toEqual([{ run_id: "b", reason: "rate:j:tenant:t1", kept: [] }]);
    expect(roomIn(windowOf(locked, "rate:j::"), 5)).toBe(4);
    expect([...next]).toEqual([["rate:j:tenant:t1", NOW_MS + 61_000]]);
  });

  it("R4 R5 checks concurrency first, and takes all limits together or none", () => {
    const locked = counters({ job: 1, key: 0 }, { rate: 3 });
    const limits = {
      slots: [
        { key: "key", max: 1 },
        { key: "job", max: 1 },
      ],
      rates: [{ key: "rate", max: 3 }],
    };
    expect(admitRuns([run("a", limits)], locked).blocked).toEqual([{ run_id: "a", reason: "job", kept: [] }]);
    expect(locked.active).toEqual(
      new Map([
        ["job", 1],
        ["key", 0],
      ]),
    );
    expect(roomIn(windowOf(locked, "rate"), 3)).toBe(0);
  });

  it("blocks a run that must not start on that reason, and sets no time for any window", () => {
    const locked = counters({ job: 5 }, { rate: 9 });
    const limits = { slots: [{ key: "job", max: 1 }], rates: [{ key: "rate", max: 1 }] };
    const admission = admitRuns([run("a", { refused: "paused_job:j", ...limits })], locked);
    expect(admission).toEqual({
      admitted: [],
      blocked: [{ run_id: "a", reason: "paused_job:j", kept: [] }],
      deferred: [],
      nextRoomMs: new Map(),
      offered: new Map(),
    });
  });

  it("throws if a window was not locked, instead of assuming capacity", () => {
    expect(() => admitRuns([run("a", { rates: [{ key: "rate", max: 1 }] })], counters())).toThrow("is not locked");
  });
});

const waiter = (run_id: string, rank: number, is_granted = false, needs: string[] = []): Waiter => ({
  run_id,
  rank,
  is_granted,
  refused_since: null,
  since: 0,
  needs,
});

describe("waiters of a limit go before newcomers", () => {
  const slots = [{ key: "job", max: 2 }];

  it("a newcomer waits behind a released run that is not claimed yet, even with a better rank", () => {
    const locked = counters({ job: 1 }, {}, { job: [waiter("old", 5, true)] });
    const { admitted, blocked, offered } = admitRuns([run("new", { rank: 1, slots })], locked);
    expect([admitted, blocked, [...offered]]).toEqual([[], [{ run_id: "new", reason: "job", kept: [] }], []]);
  });

  it("a newcomer starts if there is capacity for all waiters and for itself", () => {
    const locked = counters({ job: 0 }, {}, { job: [waiter("old", 5, true)] });
    expect(admitRuns([run("new", { rank: 9, slots })], locked).admitted).toHaveLength(1);
  });

  it("if more were released than there is capacity for, those with the best rank start", () => {
    const locked = counters({ job: 1 }, {}, { job: [waiter("a", 1, true), waiter("b", 2, true)] });
    expect(admitRuns([run("b", { rank: 2, granted_by: "job", slots })], locked).admitted).toEqual([]);
    const both = [run("a", { rank: 1, granted_by: "job", slots }), run("b", { rank: 2, granted_by: "job", slots })];
    const { admitted } = admitRuns(
      both,
      counters({ job: 1 }, {}, { job: [waiter("a", 1, true), waiter("b", 2, true)] }),
    );
    expect(admitted.map(({ run_id }) => run_id)).toEqual(["a"]);
  });

  it("a run released by another limit goes by rank: before later waiters, after earlier ones", () => {
    const limits = { slots, rates: [{ key: "rate", max: 5 }] };
    const candidate = run("b", { rank: 2, granted_by: "rate", ...limits });
    const behind = counters({ job: 1 }, { rate: 0 }, { job: [waiter("c", 3)], rate: [waiter("b", 2, true)] });
    expect(admitRuns([candidate], behind).admitted).toHaveLength(1);
    const before = counters({ job: 1 }, { rate: 0 }, { job: [waiter("a", 1)], rate: [waiter("b", 2, true)] });
    expect(admitRuns([candidate], before).blocked).toEqual([{ run_id: "b", reason: "job", kept: [] }]);
  });

  it("a run with a grant starts although a run with a better rank begins to wait", () => {
    const locked = counters({ job: 1 }, {}, { job: [waiter("new", 1), waiter("old", 2, true)] });
    expect(admitRuns([run("old", { rank: 2, granted_by: "job", slots })], locked).admitted).toHaveLength(1);
  });

  it("a grant by one limit that another refuses passes to the next waiter", () => {
    const limits = { slots, rates: [{ key: "rate", max: 1 }] };
    const locked = counters({ job: 1 }, { rate: 1 }, { job: [waiter("a", 1, true), waiter("b", 2)] });
    const { blocked, offered } = admitRuns([run("a", { rank: 1, granted_by: "job", ...limits })], locked);
    expect(blocked).toEqual([{ run_id: "a", reason: "rate", kept: [] }]);
    expect([...offered]).toEqual([["job", 1]]);
  });

  it("releases no more runs than there is capacity for", () => {
    const waiting = [waiter("a", 1, true), waiter("b", 2), waiter("c", 3)];
    const { offered } = admitRuns([run("new", { rank: 9, slots })], counters({ job: 1 }, {}, { job: waiting }));
    expect([...offered]).toEqual([]);
  });

  it("a rate window lets its waiters go first, as a counter does", () => {
    const rates = [{ key: "rate", max: 3 }];
    const locked = counters({}, { rate: 1 }, { rate: [waiter("a", 1, true), waiter("b", 2)] });
    const { blocked, offered } = admitRuns([run("new", { rank: 0, rates })], locked);
    expect(blocked).toEqual([{ run_id: "new", reason: "rate", kept: [] }]);
    expect([...offered]).toEqual([["rate", 1]]);
  });

  it("a run waits behind an earlier one that is blocked on a shared limit and needs the last slot of another", () => {
    const limits = { slots: [...slots, { key: "key", max: 1 }] };
    const ahead = { job: [waiter("a", 1, false, ["job", "key"])], key: [waiter("c", 9, true)] };
    const candidate = (over: Partial<Candidate>) => run("c", { rank: 9, granted_by: "key", ...limits, ...over });
    const { blocked, offered } = admitRuns([candidate({})], counters({}, {}, ahead));
    expect([blocked, [...offered]]).toEqual([[{ run_id: "c", reason: "job", kept: [] }], [["job", 2]]]);
    const newcomer = candidate({ rank: 0, granted_by: null, run_id: "n" });
    expect(admitRuns([newcomer], counters({}, {}, { job: ahead.job, key: [] })).blocked).toHaveLength(1);
    const better = candidate({ rank: 0 });
    expect(
      admitRuns([better], counters({}, {}, { job: ahead.job, key: [waiter("c", 0, true)] })).admitted,
    ).toHaveLength(1);
    const ofOther = { job: [waiter("a", 1, false, ["job", "other"])], key: ahead.key };
    expect(admitRuns([candidate({})], counters({}, {}, ofOther)).admitted).toHaveLength(1);
  });

  it("a run does not wait behind one that is blocked on a limit it does not need itself", () => {
    const limits = { slots: [...slots, { key: "key", max: 1 }] };
    const full = run("a", { rank: 1, granted_by: "job", slots: limits.slots, rates: [{ key: "rate", max: 1 }] });
    const waiting = { job: [waiter("a", 1, true)], key: [waiter("c", 9, true)], rate: [] };
    const { blocked } = admitRuns(
      [full, run("c", { rank: 9, granted_by: "key", ...limits })],
      counters({}, { rate: 1 }, waiting),
    );
    expect(blocked).toEqual([{ run_id: "a", reason: "rate", kept: [] }]);
  });

  it("a run of a paused job gives up its grant", () => {
    const locked = counters({ job: 1 }, {}, { job: [waiter("a", 1, true), waiter("b", 2)] });
    const paused = run("a", { rank: 1, granted_by: "job", refused: "paused_job:j", slots });
    expect([...admitRuns([paused], locked).offered]).toEqual([["job", 1]]);
  });
});

describe("a starving run that one of its limits refuses", () => {
  const slots = [
    { key: "job", max: 5 },
    { key: "k", max: 1 },
  ];
  const rates = [
    { key: "r", max: 1 },
    { key: "s", max: 1 },
  ];
  const starving = (over: Partial<Candidate> = {}) =>
    run("a", { rank: 5, granted_by: "k", slots, rates, keepable: ["k", "r", "s"], ...over });
  const blockedOf = (candidate: Candidate, locked: Counters) => admitRuns([candidate], locked).blocked;

  it("keeps its slots in the limits before that one, in their order", () => {
    expect(blockedOf(starving(), counters({}, { r: 0, s: 1 }))).toEqual([
      { run_id: "a", reason: "s", kept: ["k", "r"] },
    ]);
    expect(blockedOf(starving(), counters({}, { r: 1, s: 0 }))).toEqual([{ run_id: "a", reason: "r", kept: ["k"] }]);
    expect(blockedOf(starving(), counters({ k: 1 }, { r: 0, s: 0 }))).toEqual([{ run_id: "a", reason: "k", kept: [] }]);
  });

  it("keeps none behind a limit without a slot for it, even if a later one refuses it", () => {
    const locked = counters({ job: 5 }, { r: 1, s: 0 });
    expect(blockedOf(starving(), locked)).toEqual([{ run_id: "a", reason: "job", kept: ["k"] }]);
  });

  it("keeps none if it may not keep any, or must not start", () => {
    const full = () => counters({}, { r: 0, s: 1 });
    expect(blockedOf(starving({ keepable: [] }), full())).toEqual([{ run_id: "a", reason: "s", kept: [] }]);
    expect(blockedOf(starving({ refused: "paused_job:j" }), full())).toEqual([
      { run_id: "a", reason: "paused_job:j", kept: [] },
    ]);
  });

  it("keeps none behind an earlier waiter of that limit: one run at a time holds others up for it", () => {
    const behind = counters({}, { r: 0, s: 1 }, { s: [waiter("b", 1)] });
    expect(blockedOf(starving(), behind)).toEqual([{ run_id: "a", reason: "s", kept: [] }]);
    const before = counters({}, { r: 0, s: 1 }, { s: [waiter("b", 9)] });
    expect(blockedOf(starving(), before)).toEqual([{ run_id: "a", reason: "s", kept: ["k", "r"] }]);
  });

  it("does not pass on the slot that it keeps", () => {
    const waiting = { k: [waiter("a", 5, true), waiter("b", 6)] };
    expect([...admitRuns([starving()], counters({}, { r: 0, s: 1 }, waiting)).offered]).toEqual([]);
    const passed = admitRuns([starving({ keepable: [] })], counters({}, { r: 0, s: 1 }, waiting));
    expect([...passed.offered]).toEqual([["k", 1]]);
  });

  it("starts in the slot that it has kept, although an earlier run has begun to wait there", () => {
    const waiting = { k: [waiter("b", 1), waiter("a", 5, true)], s: [waiter("a", 5, true)] };
    const released = (kept: string[]) => starving({ granted_by: "s", kept });
    expect(admitRuns([released(["k", "r"])], counters({}, { r: 0, s: 0 }, waiting)).admitted).toHaveLength(1);
    expect(admitRuns([released([])], counters({}, { r: 0, s: 0 }, waiting)).admitted).toEqual([]);
  });
});

describe("a newcomer that could be claimed before a waiter got its grant", () => {
  const slots = [{ key: "job", max: 1 }];
  const granted = (rank: number) => ({ job: [{ ...waiter("old", rank, true), since: 100 }] });

  it("goes before that one if its rank is better", () => {
    const unseen = run("new", { rank: 1, since: 99, slots });
    expect(admitRuns([unseen], counters({}, {}, granted(5))).admitted).toHaveLength(1);
    expect(admitRuns([{ ...unseen, rank: 9 }], counters({}, {}, granted(5))).admitted).toEqual([]);
    expect(admitRuns([{ ...unseen, since: 100 }], counters({}, {}, granted(5))).admitted).toEqual([]);
  });

  it("but not before a run that is still blocked on the limit", () => {
    const blocked = { job: [{ ...waiter("old", 5), since: 100 }] };
    const unseen = run("new", { rank: 1, since: 99, slots });
    expect(admitRuns([unseen], counters({}, {}, blocked)).admitted).toEqual([]);
  });
});

const KEYS = ["s1", "s2", "s3"] as const;
const RATES = ["r1", "r2"] as const;
const limitsOf = (keys: readonly string[], max: number) =>
  fc.subarray([...keys]).map((some) => some.map((key) => ({ key, max: 1 + ((key.charCodeAt(1) * 7) % max) })));
const candidates = fc
  .array(fc.record({ slots: limitsOf(KEYS, 4), rates: limitsOf(RATES, 5), isRefused: fc.boolean() }), { maxLength: 30 })
  .map((given) =>
    given.map(({ slots, rates, isRefused }, index) =>
      run(String(index), { slots, rates, refused: isRefused && index % 4 === 0 ? "paused_job:j" : undefined }),
    ),
  );
const locks = fc.record({ active: fc.array(fc.nat(3), { minLength: 3, maxLength: 3 }), starts: fc.array(fc.nat(4)) });

function windowOf({ windows }: Counters, key: string) {
  const window = windows.get(key);
  if (!window) throw new Error(`no window ${key}`);
  return window;
}

/** The rules again, in their simplest form. */
function whyNot({ refused, slots, rates }: Candidate, active: Map<string, number>, starts: Map<string, number>) {
  if (refused !== undefined) return refused;
  const full = slots.find(({ key, max }) => (active.get(key) ?? 0) >= max);
  return full?.key ?? rates.find(({ key, max }) => (starts.get(key) ?? 0) >= max)?.key;
}

it("R4 R5 admits or blocks any set of runs by the rules, and every counter equals the admitted runs", () => {
  fc.assert(
    fc.property(candidates, locks, (all, { active, starts }) => {
      const locked = counters(
        Object.fromEntries(KEYS.map((key, n) => [key, active[n] ?? 0])),
        Object.fromEntries(RATES.map((key, n) => [key, starts[n] ?? 0])),
      );
      const model = {
        active: new Map(locked.active),
        starts: new Map(RATES.map((key, n) => [key as string, starts[n] ?? 0])),
      };
      const admission = admitRuns(all, locked);
      const expected = all.map((each) => {
        const reason = whyNot(each, model.active, model.starts);
        if (reason !== undefined) return [each.run_id, reason];
        for (const { key } of each.slots) model.active.set(key, (model.active.get(key) ?? 0) + 1);
        for (const { key } of each.rates) model.starts.set(key, (model.starts.get(key) ?? 0) + 1);
        return [each.run_id, undefined];
      });
      const reasons = new Map(admission.blocked.map(({ run_id, reason }) => [run_id, reason]));
      expect(all.map(({ run_id }) => [run_id, reasons.get(run_id)])).toEqual(expected);
      expect(admission.admitted.length + admission.blocked.length).toBe(all.length);
      expect(locked.active).toEqual(model.active);
      for (const [key, count] of model.starts) expect(roomIn(windowOf(locked, key), 100)).toBe(100 - count);
      for (const [key, next] of admission.nextRoomMs) {
        const { max } = all.flatMap((each) => each.rates).find((rate) => rate.key === key) ?? { max: 0 };
        expect(next).toBe(nextRoomMs(windowOf(locked, key), max));
      }
    }),
    { numRuns: sizeOf(120, 300) },
  );
});
