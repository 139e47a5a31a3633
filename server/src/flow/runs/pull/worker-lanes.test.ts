import { beforeAll, describe, expect, it } from "vitest";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { World } from "../../../../test/world/world.ts";
import { openWaitingPolls } from "./waiting-polls.ts";
import { lanesOf, waitForLane, wakeNextPoll } from "./worker-lanes.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
});

const settled = async (polls: Promise<unknown>[]) => {
  const ended = new Set<number>();
  polls.forEach((poll, nth) => void poll.then(() => ended.add(nth)));
  for (let n = 0; n < 10; n++) await Promise.resolve();
  return [...ended];
};

describe("polls that wait", () => {
  it("a wake-up wakes the one of those that serve its lane that has waited longest, and asks once for each scope", async () => {
    const { id } = await world.project();
    const state = await lanesOf(world.ctx, id);
    const asked: string[] = [];
    const closing: (() => void)[] = [];
    const poll = (scope: string) => {
      const serves = (host: string) => {
        if (host === "pull:a") asked.push(scope);
        return scope !== "elsewhere" && host === "pull:a";
      };
      const servesJob = () => false;
      const options = { ms: 20_000, onClose: (fn: () => void) => void closing.push(fn) };
      return waitForLane(world.ctx, state, { scope, serves, servesJob }, options);
    };
    const scopes = ["elsewhere", "one", "two", "one", ...Array.from({ length: 100 }, () => "one")];
    const polls = scopes.map(poll);
    state.lanes.set("pull:a", { bound: "2030-01-01T00:00:00Z", count: 1 });
    wakeNextPoll(state);
    expect([await settled(polls), asked]).toEqual([[1], ["elsewhere", "one", "two"]]);
    wakeNextPoll(state);
    expect(await settled(polls)).toEqual([1, 2]);
    wakeNextPoll(state);
    expect(await settled(polls)).toEqual([1, 2, 3]);
    for (const close of closing) close();
    expect([(await settled(polls)).length, state.polls.size()]).toEqual([scopes.length, 0]);
  });

  it("a wake-up wakes no more of them than can take the runs: the others would only wait for their claims", async () => {
    const polls = openWaitingPolls();
    const scope = { scope: "one", serves: () => true, servesJob: () => false };
    const lease = { worker_id: "w1", claim_id: "c", lease_secs: 15 };
    const closing: (() => void)[] = [];
    const poll = () => {
      const onClose = (fn: () => void) => void closing.push(fn);
      return polls.wait(scope, { ms: 20_000, onClose, offer: { lease, max: 10 } });
    };
    const waiting = Array.from({ length: 9 }, poll);
    polls.wakeFor("pull:a", 10);
    expect(await settled(waiting)).toEqual([0]);
    polls.wakeFor("pull:a", 11);
    expect(await settled(waiting)).toEqual([0, 1, 2]);
    polls.wakeFor("pull:a", 1_000);
    expect(await settled(waiting)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    for (const close of closing) close();
  });
});
