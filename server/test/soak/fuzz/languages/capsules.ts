import { isDeepStrictEqual } from "node:util";
import { RunCapsule } from "@millrace/contract/workflows/capsules";
import { ShadowReport } from "@millrace/contract/workflows/shadow";
import { validatorOf } from "../../../../src/api/request/validators.ts";
import { writeCapsule } from "../../../../src/features/workflow-runs/capsules/capsule-routes.ts";
import { capsuleHistory } from "../../../../src/features/workflows/shadow/shadow-capsules.ts";
import { beginReport, countRun, presentReport } from "../../../../src/features/workflows/shadow/shadow-report.ts";
import { compareReplay, replayHistory } from "../../../../src/flow/workflows/versions/replay-history.ts";
import { parseJson } from "../../../../src/platform/json/parse-json.ts";
import { runSync } from "../../../../src/platform/time-slices.ts";
import { capsuleContent } from "../../../seed/seed-capsule.ts";
import { jobStep, sleepStep, workflow } from "../../../seed/workflow-definition.ts";
import { type Language, must } from "./language.ts";

const isReport = validatorOf(ShadowReport);
const isCapsule = validatorOf(RunCapsule);
const HASH = "0".repeat(64);
const ID = "01900000-0000-7000-8000-000000000000";
const STEPS = ["a", "b", "c"];

/** A definition that a capsule may be replayed with: other steps, another order. */
const CANDIDATE = workflow([
  jobStep("a", { payload: { of: "{{payload.n}}" } }),
  jobStep("b", { depends_on: ["a"], condition: "steps.a.status == 'completed'", on_failure: "continue" }),
  sleepStep("c", { depends_on: ["a", "b"] }),
]);

/** Exported workflow runs, from their import to their replay. */
export const capsules: Language = {
  corpus: [
    documentOf(capsuleContent({ steps: STEPS })),
    documentOf(failedContent()),
    documentOf({ ...capsuleContent({ steps: ["b"] }), map_items: [{ item: 1 }], left_out: { decisions: 1, logs: 2 } }),
  ],
  words: [
    ...[
      "null",
      "{}",
      "[]",
      '""',
      "-1",
      "1.5",
      "1000000000000",
      "2147483648",
      '"__proto__"',
      '"constructor"',
      '"a"',
      '"b"',
    ],
    ...[
      '"failed"',
      '"skipped"',
      '"canceled"',
      '"timed_out"',
      '"completed"',
      '"sleep"',
      '"job"',
      '"approval"',
      '"manual"',
    ],
    ...[
      '"depends_on":["a"],',
      '"depends_on":["b","b"],',
      '"cause":"manual",',
      '"sleep_duration":"1h",',
      '"status":"failed",',
    ],
    ...['"2030-01-01T00:00:60Z"', '"0001-01-01T00:00:00Z"', '"9999-12-31T23:59:59.999Z"', '{"code":"x","message":"y"}'],
    ...[
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"output":{"a":[1]},',
      '"payload":{"n":1},',
      '"finished_at":null,',
      '"run_id":null,',
    ],
  ],
  read: (text) => {
    const read = parseJson(text);
    if (!read.ok || !isCapsule(read.value)) return false;
    const { content } = read.value as RunCapsule;
    const written = runSync(writeCapsule(content));
    const again = JSON.parse(written.document) as RunCapsule;
    must(isDeepStrictEqual(again.content, content), "the document has another content");
    must(
      isDeepStrictEqual(runSync(writeCapsule(again.content)), written),
      "its hash changes when it is imported again",
    );
    const { recorded } = capsuleHistory(ID, again.content);
    const replay = () => runSync(replayHistory(CANDIDATE, recorded, new Map()));
    const [one, other] = [replay(), replay()];
    must(isDeepStrictEqual(one, other), "two replays differ");
    const [differences, others] = [compareReplay(recorded, one), compareReplay(recorded, other)];
    must(isDeepStrictEqual(differences, others), "two comparisons differ");
    const report = beginReport({ version_id: null, version: null, definition: CANDIDATE }, new Map());
    countRun(report, { workflow_run_id: ID, capsule_id: ID, version: 1 }, { recorded, replay: one, differences });
    must(
      isReport({ $schema: "https://x.example/", workflow_id: ID, ...presentReport(report) }),
      `no report: ${JSON.stringify(isReport.errors)}`,
    );
    return true;
  },
};

function documentOf(content: object): string {
  return JSON.stringify({ format: "millrace.run-capsule", version: 1, sha256: HASH, content });
}

/** A job failed, a step was skipped by hand, another one had not begun. */
function failedContent(): object {
  const content = capsuleContent({ steps: STEPS });
  const [a, b, c] = content.steps;
  const run_id = content.run.id;
  const error = { code: "failed", message: "no" };
  const steps = [
    { ...a, status: "failed", error, run_id, event_trigger_id: null },
    { ...b, status: "skipped", cause: "manual", started_at: null },
    { ...c, status: "pending", event_trigger_id: null, started_at: null, finished_at: null },
  ];
  const job_runs = [{ id: run_id, cost_microusd: 7, attempts: [], transitions: [] }];
  return { ...content, steps, job_runs, run: { ...content.run, status: "failed" } };
}
