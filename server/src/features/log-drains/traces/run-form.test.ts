import { expect, it } from "vitest";
import type { EndedRun } from "./read-ended.ts";
import { runForm } from "./run-form.ts";
import { runSpans } from "./spans.ts";

const RUN: EndedRun = {
  ...{ id: "", job_id: "01980000-0000-7000-8000-00000000000a", job_slug: "größe", attempt: 1, status: "completed" },
  ...{ environment_id: "01980000-0000-7000-8000-00000000000b", trigger_type: "api", http_status: 201 },
  ...{ began_ms: 0, started_ms: 0, finished_ms: 0, error: null, traceparent: null, attempts: null },
  ...{ workflow_run_id: null, step_ref: null, parent_run_id: null },
};
const IDS = ["0198a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b", "ffffffff-ffff-7fff-bfff-ffffffffffff"];
const TIMES = [1_000_000_000_000, 1_763_596_799_999, 9_999_999_999_999];

it("writes what rendering the spans of each run would, wherever it writes", () => {
  const form = runForm(RUN);
  for (const id of IDS)
    for (const [nth, began_ms] of TIMES.entries()) {
      const own = { id, began_ms, started_ms: TIMES[1] ?? 0, finished_ms: TIMES[2 - nth] ?? 0 };
      const { bytes, write } = form(own);
      const into = Buffer.alloc(bytes + 20, ".");
      write(into, 7);
      expect(into.toString()).toBe(`.......${runSpans({ ...RUN, ...own })}.............`);
    }
});
