import { describe, expect, it } from "vitest";
import { jobStep, sleepStep, workflow } from "../../../../test/seed/workflow-definition.ts";
import { synchronous } from "../../../../test/world/synchronous.ts";
import type { StepDefinition } from "./definition.ts";
import { diffDefinitions } from "./diff-definitions.ts";

const diff = synchronous(diffDefinitions);
const version = (steps: StepDefinition[], rest: object = {}) => ({ ...workflow(steps), payload_schema: null, ...rest });

describe("diffDefinitions", () => {
  it("W9 of a version and itself is empty", () => {
    const same = version([jobStep("a"), sleepStep("b", { depends_on: ["a"] })]);
    expect(diff(same, structuredClone(same))).toEqual({
      added: [],
      removed: [],
      changed: [],
      changed_settings: [],
    });
  });

  it("W9 names added and removed steps, and every changed field of the others, old and new", () => {
    const from = version([jobStep("a", { payload: { x: 1 } }), jobStep("gone"), sleepStep("s")]);
    const to = version([
      sleepStep("s", { sleep_duration: "1h", on_failure: "continue" }),
      jobStep("a", { payload: { x: 2 } }),
      jobStep("new"),
    ]);
    expect(diff(from, to)).toEqual({
      added: ["new"],
      removed: ["gone"],
      changed: [
        {
          step_ref: "s",
          changes: [
            { field: "on_failure", old: "fail_workflow", new: "continue" },
            { field: "sleep_duration", old: "30s", new: "1h" },
          ],
        },
        { step_ref: "a", changes: [{ field: "payload", old: { x: 1 }, new: { x: 2 } }] },
      ],
      changed_settings: [],
    });
  });

  it("W9 of a step whose type changed has the fields of both types", () => {
    const { changed } = diff(version([sleepStep("a")]), version([jobStep("a", { job_id: "j" })]));
    expect(changed[0]?.changes).toEqual(
      expect.arrayContaining([
        { field: "type", old: "sleep", new: "job" },
        { field: "sleep_duration", old: "30s", new: null },
        { field: "job_id", old: null, new: "j" },
      ]),
    );
  });

  it("ignores another order of depends_on, but not another name", () => {
    const at = (...depends_on: string[]) => version([jobStep("a"), jobStep("b"), jobStep("c", { depends_on })]);
    expect(diff(at("a", "b"), at("b", "a")).changed).toEqual([]);
    expect(diff(at("a"), at("b")).changed).toEqual([
      { step_ref: "c", changes: [{ field: "depends_on", old: ["a"], new: ["b"] }] },
    ]);
  });

  it("W9 includes changed settings", () => {
    const from = version([jobStep("a")], { timeout_secs: 5, payload_schema: { type: "object" } });
    const to = version([jobStep("a")], { timeout_secs: 6, max_parallel_steps: 2 });
    expect(diff(from, to).changed_settings).toEqual([
      { field: "timeout_secs", old: 5, new: 6 },
      { field: "max_parallel_steps", old: null, new: 2 },
      { field: "payload_schema", old: { type: "object" }, new: null },
    ]);
  });
});
