import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testSeed } from "../../test/seed/seed.ts";
import type { LaneShare } from "../flow/runs/claim/claim-runs.ts";
import type { CountedLane, Lane } from "../flow/runs/claim/lanes.ts";
import { type LaneRotation, openLaneRotation, UNKNOWN } from "./lane-rotation.ts";

fc.configureGlobal({ seed: testSeed("lane-rotation") });

const at = (second: number) => new Date(Date.UTC(2030, 0, 1, 0, 0, second)).toISOString();
const lane = (project_id: string, host = "h", second = 0): Lane => ({ project_id, host, rank_at: at(second) });
const anyHost = () => 1_000;
const projects = (taken: LaneShare[]) => taken.map(({ project_id }) => project_id);
const full = (taken: LaneShare[], last?: string) => taken.map(({ share }) => ({ count: share, last }));

function rotationOf(...lanes: CountedLane[]): LaneRotation {
  const rotation = openLaneRotation();
  for (const each of lanes) rotation.add(each);
  return rotation;
}

describe("the lane rotation", () => {
  it("returns an added lane once, from its queue position on", () => {
    const rotation = rotationOf(lane("a", "h", 3));
    expect(rotation.take(5, anyHost)).toEqual([
      { project_id: "a", host: "h", bound: at(3), share: 5, expected: UNKNOWN },
    ]);
    expect([rotation.take(5, anyHost), rotation.isEmpty()]).toEqual([[], true]);
  });

  it("keeps the earliest position of a lane that is added again", () => {
    const rotation = rotationOf(lane("a", "h", 3), lane("a", "h", 1), lane("a", "h", 2));
    expect(rotation.take(9, anyHost).map(({ bound }) => bound)).toEqual([at(1)]);
  });

  it("moves a lane that filled its share to the end, from its last run on", () => {
    const rotation = rotationOf(lane("a"), lane("b"));
    const taken = rotation.take(1, anyHost);
    expect(projects(taken)).toEqual(["a"]);
    rotation.putBack(taken, full(taken, at(7)));
    const next = rotation.take(2, anyHost);
    expect(next.map(({ project_id, bound }) => [project_id, bound])).toEqual([
      ["b", at(0)],
      ["a", at(7)],
    ]);
  });

  it("drops a lane that returned less than its share", () => {
    const rotation = rotationOf(lane("a"));
    const taken = rotation.take(4, anyHost);
    rotation.putBack(taken, [{ count: 3, last: at(1) }]);
    expect(rotation.isEmpty()).toBe(true);
  });

  it("does not lose a lane that was added while it was being claimed from", () => {
    const rotation = rotationOf(lane("a"));
    const taken = rotation.take(4, anyHost);
    rotation.add(lane("a", "h", 9));
    rotation.putBack(taken, [{ count: 0, last: undefined }]);
    expect(rotation.take(4, anyHost)).toMatchObject([{ project_id: "a", bound: at(9) }]);
  });

  it("restarts from the earlier position when a full lane was added again with an earlier one meanwhile", () => {
    const rotation = rotationOf(lane("a", "h", 5));
    const taken = rotation.take(1, anyHost);
    rotation.add(lane("a", "h", 2));
    rotation.putBack(taken, full(taken, at(8)));
    expect(rotation.take(1, anyHost)).toMatchObject([{ bound: at(2) }]);
  });

  it("drops removed lanes", () => {
    const rotation = rotationOf(lane("a"), lane("b"));
    rotation.remove(lane("a"));
    rotation.remove(lane("nobody"));
    expect(projects(rotation.take(9, anyHost))).toEqual(["b"]);
  });

  it("reports whether another host has a lane, regardless of the number of lanes", () => {
    const rotation = rotationOf(lane("a", "h1"), lane("b", "h1"), lane("a", "h2"));
    const others = () => ["h1", "h2", "h3"].map(rotation.hasOther);
    expect(others()).toEqual([true, true, true]);
    rotation.remove(lane("a", "h1"));
    expect(others()).toEqual([true, true, true]);
    rotation.remove(lane("b", "h1"));
    expect(others()).toEqual([true, false, true]);
  });
});

describe("the expected number of queued runs", () => {
  const counted = (project_id: string, count: number, host = "h") => ({ ...lane(project_id, host), count });

  it("is the sum over a host's lanes, until they are taken", () => {
    const rotation = rotationOf(counted("a", 3), counted("a", 4), counted("b", 2), counted("a", 9, "other"));
    expect(["h", "other", "nobody"].map(rotation.waitingFor)).toEqual([9, 9, 0]);
    const taken = rotation.take(100, (host) => (host === "h" ? 50 : 0));
    expect(taken.map(({ project_id, expected }) => [project_id, expected])).toEqual([
      ["a", 7],
      ["b", 2],
    ]);
    expect(["h", "other"].map(rotation.waitingFor)).toEqual([0, 9]);
  });

  it("is unbounded for a lane found by a scan, or one that filled its share", () => {
    const rotation = rotationOf(lane("a"));
    expect(rotation.waitingFor("h")).toBeGreaterThanOrEqual(UNKNOWN);
    const taken = rotation.take(2, anyHost);
    expect(rotation.waitingFor("h")).toBe(0);
    rotation.putBack(taken, full(taken, at(1)));
    expect(rotation.waitingFor("h")).toBeGreaterThanOrEqual(UNKNOWN);
  });

  it("is zero once a lane returned less than its share", () => {
    const rotation = rotationOf(counted("a", 3));
    rotation.putBack(rotation.take(10, anyHost), [{ count: 2, last: at(1) }]);
    expect([rotation.waitingFor("h"), rotation.isEmpty()]).toEqual([0, true]);
  });
});

describe("shares", () => {
  it("are equal parts of the free slots", () => {
    const rotation = rotationOf(lane("a"), lane("b"), lane("c"));
    expect(rotation.take(10, anyHost).map(({ share }) => share)).toEqual([3, 3, 3]);
  });

  it("do not grow with a tenant's number of lanes: lanes are claimed from in rotation", () => {
    const rotation = rotationOf(...Array.from({ length: 100 }, (_, n) => lane("big", `h${n}`)), lane("small", "s"));
    const first = rotation.take(500, anyHost);
    expect(first).toHaveLength(64);
    rotation.putBack(first, full(first, at(1)));
    expect(projects(rotation.take(500, anyHost))).toContain("small");
  });

  it("never exceed the free slots or a host's limit, and are never zero", () => {
    const lanes = fc.array(fc.record({ project: fc.nat(30), host: fc.nat(4) }), { maxLength: 120 });
    fc.assert(
      fc.property(lanes, fc.integer({ min: 1, max: 300 }), fc.integer({ min: -3, max: 60 }), (given, room, ofHost) => {
        const rotation = rotationOf(...given.map(({ project, host }) => lane(`p${project}`, `h${host}`)));
        const roomOfHost = (host: string) => ofHost + Number(host.slice(1));
        const taken = rotation.take(room, roomOfHost);
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
        const rotation = rotationOf(...Array.from({ length: count }, (_, n) => lane(`p${n}`)));
        const counted = new Map<string, number>();
        for (let round = 0; round < 40; round++) {
          const taken = rotation.take(room, anyHost);
          for (const { project_id } of taken) counted.set(project_id, (counted.get(project_id) ?? 0) + 1);
          rotation.putBack(taken, full(taken, at(round)));
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
    const rotation = rotationOf(lane("a", "slow"), lane("b", "fast"), lane("c", "slow"));
    const roomOf = (host: string) => (host === "slow" ? 0 : 10);
    expect(projects(rotation.take(10, roomOf))).toEqual(["b"]);
    expect([rotation.hasOther("slow"), rotation.isEmpty()]).toEqual([false, false]);
    expect(projects(rotation.take(10, anyHost))).toEqual(["a", "c"]);
  });

  it("R1 gets claims from no more lanes than it has free slots", () => {
    const rotation = rotationOf(lane("a"), lane("b"), lane("c"), lane("d", "other"));
    const taken = rotation.take(100, (host) => (host === "h" ? 2 : 50));
    expect(taken.map(({ project_id, share }) => [project_id, share])).toEqual([
      ["a", 1],
      ["b", 1],
      ["d", 33],
    ]);
  });

  it("R1 gets its limit before the lanes leave the rotation, so that two hosts still count as two", () => {
    const rotation = rotationOf(lane("a", "h1"), lane("b", "h2"));
    const taken = rotation.take(100, (host) => (rotation.hasOther(host) ? 25 : 75));
    expect(taken.map(({ share }) => share)).toEqual([25, 25]);
  });
});
