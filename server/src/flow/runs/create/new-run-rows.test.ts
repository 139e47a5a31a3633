import { describe, expect, it } from "vitest";
import { newId } from "../../../platform/ids.ts";
import type { NewRun } from "./new-run.ts";
import { splitBatchColumns } from "./new-run-rows.ts";

const NOBODY = new Set<string>();
const [project_id, job_id] = [newId(), newId()];

function newRun(fields: Partial<NewRun> = {}): NewRun {
  const shared = { project_id, job_id, host: "a.example", tags: {}, metadata: {}, created_by: "me", priority: 0 };
  const own = { id: newId(), payload: { n: 1 }, concurrency_key: null, workflow_run_id: null };
  return { ...shared, ...own, ...fields } as NewRun;
}
const columnsNosOf = (runs: NewRun[], starts = NOBODY) =>
  splitBatchColumns(runs, starts).runColumns.map(({ columns_no }) => columns_no);

describe("the batch columns of new runs", () => {
  it("are sent once for equal runs, also if these are not adjacent", () => {
    const [one, other] = [{ tags: { of: "one" } }, { tags: { of: "other" } }];
    expect(columnsNosOf([newRun(one), newRun(one), newRun(other), newRun(one)])).toEqual([0, 0, 1, 0]);
  });

  it("are compared by value, not by object identity", () => {
    expect(columnsNosOf([newRun({ tags: { a: "1" } }), newRun({ tags: { a: "1" } })])).toEqual([0, 0]);
  });

  it.each<[string, Partial<NewRun>]>([
    ["another job", { job_id: newId() }],
    ["another priority", { priority: 5 }],
    ["other metadata", { metadata: { a: 1 } }],
    ["another creator", { created_by: "you" }],
    ["another creator of the same name", { created_by_id: newId() }],
    ["another time", { delay_secs: 1 }],
    ["a batch", { batch_id: newId() }],
  ])("differ for a run with %s", (_, other) => {
    expect(columnsNosOf([newRun(), newRun(other), newRun()])).toEqual([0, 1, 0]);
  });

  it("are compared in every column that is sent once", () => {
    const [first] = splitBatchColumns([newRun()], NOBODY).batchColumns;
    const own = new Set(["columns_no", "is_chosen", "batch_created_by"]);
    const columns = Object.keys(first ?? {}).filter((name) => !own.has(name));
    expect(columns).toHaveLength(27);
    for (const name of columns) expect(columnsNosOf([newRun(), newRun({ [name]: "another" })]), name).toEqual([0, 1]);
  });

  it("differ for a run that starts at once", () => {
    const runs = [newRun(), newRun()];
    const starts = new Set([runs[1]?.id ?? ""]);
    expect(columnsNosOf(runs, starts)).toEqual([0, 1]);
    expect(splitBatchColumns(runs, starts).batchColumns.map(({ is_chosen }) => is_chosen)).toEqual([false, true]);
  });

  it("are equal for steps of many workflow runs, regardless of who started these", () => {
    const steps = ["me", "you"].map((created_by) => newRun({ created_by, workflow_run_id: newId(), step_ref: "s" }));
    const { runColumns, batchColumns } = splitBatchColumns(steps, NOBODY);
    expect(batchColumns).toHaveLength(1);
    expect(batchColumns[0]?.batch_created_by).toBe(null);
    expect(runColumns.map(({ workflow_run_id }) => workflow_run_id)).toEqual(steps.map((step) => step.workflow_run_id));
  });
});
