import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testSeed } from "../../test/seed.ts";
import type { LaneShare } from "../flow/claim-runs.ts";
import type { CountedLane, Lane } from "../flow/lanes.ts";
import { type LaneBook, openLaneBook, UNKNOWN } from "./lane-book.ts";

fc.configureGlobal({ seed: testSeed("lane-book") });

const at = (second: number) => new Date(Date.UTC(2030, 0, 1, 0, 0, second)).toISOString();
const lane = (project_id: string, host = "h", second = 0): Lane => ({ project_id, host, rank_at: at(second) });
const anyHost = () => 1_000;
const projects = (taken: LaneShare[]) => taken.map(({ project_id }) => project_id);
const full = (taken: LaneShare[], last?: string) => taken.map(({ share }) => ({ count: share, last }));

function bookOf(...lanes: CountedLane[]): LaneBook {
  const book = openLaneBook();
  for (const each of lanes) book.add(each);
  return book;
}

describe("the lane book", () => {
  it("returns an added lane once, from its queue position on", () => {
    const book = bookOf(lane("a", "h", 3));
    expect(book.take(5, anyHost)).toEqual([{ project_id: "a", host: "h", bound: at(3), share: 5, expected: UNKNOWN }]);
    expect([book.take(5, anyHost), book.isEmpty()]).toEqual([[], true]);
  });

  it("keeps the earliest position of a lane that is added again", () => {
    const book = bookOf(lane("a", "h", 3), lane("a", "h", 1), lane("a", "h", 2));
    expect(book.take(9, anyHost).map(({ bound }) => bound)).toEqual([at(1)]);
  });

  it("moves a lane that filled its share to the end, from its last run on", () => {
    const book = bookOf(lane("a"), lane("b"));
    const taken = book.take(1, anyHost);
    expect(projects(taken)).toEqual(["a"]);
    book.note(taken, full(taken, at(7)));
    const next = book.take(2, anyHost);
    expect(next.map(({ project_id, bound }) => [project_id, bound])).toEqual([
      ["b", at(0)],
      ["a", at(7)],
    ]);
  });

  it("drops a lane that returned less than its share", () => {
    const book = bookOf(lane("a"));
    const taken = book.take(4, anyHost);
    book.note(taken, [{ count: 3, last: at(1) }]);
    expect(book.isEmpty()).toBe(true);
  });

  it("does not lose a lane that was added while it was being claimed from", () => {
    const book = bookOf(lane("a"));
    const taken = book.take(4, anyHost);
    book.add(lane("a", "h", 9));
    book.note(taken, [{ count: 0, last: undefined }]);
    expect(book.take(4, anyHost)).toMatchObject([{ project_id: "a", bound: at(9) }]);
  });

  it("restarts from the earlier position when a full lane was added with one meanwhile", () => {
    const book = bookOf(lane("a", "h", 5));
    const taken = book.take(1, anyHost);
    book.add(lane("a", "h", 2));
    book.note(taken, full(taken, at(8)));
    expect(book.take(1, anyHost)).toMatchObject([{ bound: at(2) }]);
  });

  it("drops removed lanes", () => {
    const book = bookOf(lane("a"), lane("b"));
    book.remove(lane("a"));
    book.remove(lane("nobody"));
    expect(projects(book.take(9, anyHost))).toEqual(["b"]);
  });

  it("knows whether another host has a lane, regardless of the number of lanes", () => {
    const book = bookOf(lane("a", "h1"), lane("b", "h1"), lane("a", "h2"));
    const others = () => ["h1", "h2", "h3"].map(book.hasOther);
    expect(others()).toEqual([true, true, true]);
    book.remove(lane("a", "h1"));
    expect(others()).toEqual([true, true, true]);
    book.remove(lane("b", "h1"));
    expect(others()).toEqual([true, false, true]);
  });
});

describe("the expected number of queued runs", () => {
  const counted = (project_id: string, count: number, host = "h") => ({ ...lane(project_id, host), count });

  it("is the sum over a host's lanes, until they are taken", () => {
    const book = bookOf(counted("a", 3), counted("a", 4), counted("b", 2), counted("a", 9, "other"));
    expect(["h", "other", "nobody"].map(book.waitingFor)).toEqual([9, 9, 0]);
    const taken = book.take(100, (host) => (host === "h" ? 50 : 0));
    expect(taken.map(({ project_id, expected }) => [project_id, expected])).toEqual([
      ["a", 7],
      ["b", 2],
    ]);
    expect(["h", "other"].map(book.waitingFor)).toEqual([0, 9]);
  });

  it("is unbounded for a lane found by a scan, or one that filled its share", () => {
    const book = bookOf(lane("a"));
    expect(book.waitingFor("h")).toBeGreaterThanOrEqual(UNKNOWN);
    const taken = book.take(2, anyHost);
    expect(book.waitingFor("h")).toBe(0);
    book.note(taken, full(taken, at(1)));
    expect(book.waitingFor("h")).toBeGreaterThanOrEqual(UNKNOWN);
  });

  it("is zero once a lane returned less than its share", () => {
    const book = bookOf(counted("a", 3));
    book.note(book.take(10, anyHost), [{ count: 2, last: at(1) }]);
    expect([book.waitingFor("h"), book.isEmpty()]).toEqual([0, true]);
  });
});

describe("shares", () => {
  it("are equal parts of the free slots", () => {
    const book = bookOf(lane("a"), lane("b"), lane("c"));
    expect(book.take(10, anyHost).map(({ share }) => share)).toEqual([3, 3, 3]);
  });

  it("do not grow with a tenant's number of lanes: each lane waits for its turn", () => {
    const book = bookOf(...Array.from({ length: 100 }, (_, n) => lane("big", `h${n}`)), lane("small", "s"));
    const first = book.take(500, anyHost);
    expect(first).toHaveLength(64);
    book.note(first, full(first, at(1)));
    expect(projects(book.take(500, anyHost))).toContain("small");
  });

  it("never exceed the free slots or a host's limit, and are never zero", () => {
    const lanes = fc.array(fc.record({ project: fc.nat(30), host: fc.nat(4) }), { maxLength: 120 });
    fc.assert(
      fc.property(lanes, fc.integer({ min: 1, max: 300 }), fc.integer({ min: -3, max: 60 }), (given, room, ofHost) => {
        const book = bookOf(...given.map(({ project, host }) => lane(`p${project}`, `h${host}`)));
        const roomOfHost = (host: string) => ofHost + Number(host.slice(1));
        const taken = book.take(room, roomOfHost);
        expect(taken.length).toBeLessThanOrEqual(64);
        expect(taken.reduce((sum, { share }) => sum + share, 0)).toBeLessThanOrEqual(room);
        for (const { share, host } of taken) {
          expect(share).toBeGreaterThanOrEqual(1);
          const together = taken.filter((each) => each.host === host).reduce((sum, each) => sum + each.share, 0);
          expect(together).toBeLessThanOrEqual(roomOfHost(host));
        }
      }),
    );
  });

  it("rotate: of lanes that are always full each is claimed from equally often", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 100 }), (count, room) => {
        const book = bookOf(...Array.from({ length: count }, (_, n) => lane(`p${n}`)));
        const counted = new Map<string, number>();
        for (let round = 0; round < 40; round++) {
          const taken = book.take(room, anyHost);
          for (const { project_id } of taken) counted.set(project_id, (counted.get(project_id) ?? 0) + 1);
          book.note(taken, full(taken, at(round)));
        }
        const counts = Array.from({ length: count }, (_, n) => counted.get(`p${n}`) ?? 0);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 50 },
    );
  });
});

describe("a host at its limit", () => {
  it("R1 is skipped, keeps its position, and does not delay the others", () => {
    const book = bookOf(lane("a", "slow"), lane("b", "fast"), lane("c", "slow"));
    const roomOf = (host: string) => (host === "slow" ? 0 : 10);
    expect(projects(book.take(10, roomOf))).toEqual(["b"]);
    expect([book.hasOther("slow"), book.isEmpty()]).toEqual([false, false]);
    expect(projects(book.take(10, anyHost))).toEqual(["a", "c"]);
  });

  it("R1 has no more lanes claimed from than it has free slots", () => {
    const book = bookOf(lane("a"), lane("b"), lane("c"), lane("d", "other"));
    const taken = book.take(100, (host) => (host === "h" ? 2 : 50));
    expect(taken.map(({ project_id, share }) => [project_id, share])).toEqual([
      ["a", 1],
      ["b", 1],
      ["d", 33],
    ]);
  });

  it("R1 has its limit read once, before its lanes leave the book: two hosts count as two", () => {
    const book = bookOf(lane("a", "h1"), lane("b", "h2"));
    const taken = book.take(100, (host) => (book.hasOther(host) ? 25 : 75));
    expect(taken.map(({ share }) => share)).toEqual([25, 25]);
  });
});
