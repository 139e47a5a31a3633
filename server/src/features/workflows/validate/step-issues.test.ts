import type { StepInput } from "@millrace/contract/workflows/workflow-steps";
import { describe, expect, it } from "vitest";
import { synchronous } from "../../../../test/world/synchronous.ts";
import { stepIssues as stepIssuesGenerator } from "./step-issues.ts";

const stepIssues = synchronous(stepIssuesGenerator);

const JOB = "0190a5b4-0000-7000-8000-000000000001";
const jobs = new Map([
  [JOB, JOB],
  ["charge-card", JOB],
]);
const WORKFLOW = "0190a5b4-0000-7000-8000-000000000002";
const workflows = new Map([
  [WORKFLOW, WORKFLOW],
  ["pack", WORKFLOW],
]);

const job = (step_ref: string, fields: Partial<StepInput> = {}): StepInput => ({ step_ref, job_id: JOB, ...fields });
const wait = (fields: Partial<StepInput> = {}): StepInput => ({
  step_ref: "w",
  type: "wait_for_event",
  event_key: "paid",
  ...fields,
});
const sleep = (sleep_duration: string): StepInput => ({ step_ref: "s", type: "sleep", sleep_duration });
const approval = (fields: Partial<StepInput> = {}): StepInput => ({ step_ref: "ok", type: "approval", ...fields });
const map = (fields: Partial<StepInput> = {}): StepInput => ({
  step_ref: "m",
  type: "map",
  items: "{{payload.list}}",
  job_id: JOB,
  ...fields,
});
const sub = (fields: Partial<StepInput> = {}): StepInput => ({
  step_ref: "sub",
  type: "sub_workflow",
  workflow_id: "pack",
  ...fields,
});
const after = (...depends_on: string[]) => ({ depends_on });

const reported = (steps: StepInput[]) =>
  stepIssues(steps, { jobs, workflows, private_endpoints: "refuse" }).map(
    ({ location, message }) => `${location} ${message}`,
  );

const NOT_ENDED = "may not have ended by then: add it to depends_on, directly or through another step";
const DURATION = "must be a duration such as 30s, 5m, 24h or 1h30m: whole numbers above 0, hours first";
const REF = "must be 1 to 64 letters, digits, _ and -, with a letter or digit first";

type Case = [what: string, steps: StepInput[], issues: string[]];

const NAMES: Case[] = [
  ["an empty name", [job("")], [`body.steps[0].step_ref ${REF}`]],
  ["a name with a dot", [job("a.b")], [`body.steps[0].step_ref ${REF}`]],
  ["a name with a space", [job("a b")], [`body.steps[0].step_ref ${REF}`]],
  ["a name that begins with _", [job("__proto__")], [`body.steps[0].step_ref ${REF}`]],
  ["a name of 65 characters", [job("x".repeat(65))], [`body.steps[0].step_ref ${REF}`]],
  [
    "a duplicate name",
    [job("a"), job("b"), job("a"), job("a")],
    [
      "body.steps[2].step_ref duplicates the name of steps[0]",
      "body.steps[3].step_ref duplicates the name of steps[0]",
    ],
  ],
  ["an unknown dependency", [job("a", after("b"))], ["body.steps[0].depends_on[0] is not a step of this workflow"]],
  ["a duplicate dependency", [job("a"), job("b", after("a", "a"))], ["body.steps[1].depends_on[1] is listed twice"]],
];

const CYCLES: Case[] = [
  ["itself", [job("a", after("a"))], ["body.steps[0].depends_on[0] makes a cycle: a → a"]],
  [
    "two that depend on each other",
    [job("a", after("b")), job("b", after("a"))],
    ["body.steps[1].depends_on[0] makes a cycle: a → b → a"],
  ],
  [
    "a cycle of three after a step outside it",
    [job("start"), job("a", after("start", "b")), job("b", after("c")), job("c", after("start", "a"))],
    ["body.steps[3].depends_on[1] makes a cycle: a → b → c → a"],
  ],
  [
    "two cycles that share a step",
    [job("a", after("b")), job("b", after("a", "c")), job("c", after("b"))],
    ["body.steps[1].depends_on[0] makes a cycle: a → b → a", "body.steps[2].depends_on[0] makes a cycle: b → c → b"],
  ],
  ["an acyclic diamond", [job("a"), job("b", after("a")), job("c", after("a")), job("d", after("b", "c"))], []],
];

const FIELDS: Case[] = [
  ["no job", [{ step_ref: "a" }], ["body.steps[0].job_id is required"]],
  ["an unknown job", [job("a", { job_id: "nobody" })], ["body.steps[0].job_id is not a job of this project"]],
  ["no event key", [{ step_ref: "a", type: "wait_for_event" }], ["body.steps[0].event_key is required"]],
  ["no duration", [{ step_ref: "a", type: "sleep" }], ["body.steps[0].sleep_duration is required"]],
  ["a field of another type", [job("a", { event_key: "k" })], ["body.steps[0].event_key is not a field of a job step"]],
  [
    "fields of other types",
    [{ ...sleep("1s"), timeout_secs: 5, job_id: JOB, approvers: [] }],
    [
      "body.steps[0].timeout_secs is not a field of a sleep step",
      "body.steps[0].job_id is not a field of a sleep step",
      "body.steps[0].approvers is not a field of a sleep step",
    ],
  ],
  ["null, which counts as omitted", [{ ...sleep("1s"), timeout_secs: null, payload: null, message: null }], []],
  ["too long an attempt", [job("a", { timeout_secs: 86_401 })], ["body.steps[0].timeout_secs must be 1 to 86400"]],
  ["no time for an attempt", [job("a", { timeout_secs: 0 })], ["body.steps[0].timeout_secs must be 1 to 86400"]],
  ["too many attempts", [job("a", { max_attempts: 101 })], ["body.steps[0].max_attempts must be 1 to 100"]],
  ["too high a priority", [job("a", { priority: 101 })], ["body.steps[0].priority must be -100 to 100"]],
  [
    "too long a buffer",
    [job("a", { event_emit_buffer_secs: 604_801 })],
    ["body.steps[0].event_emit_buffer_secs must be 0 to 604800"],
  ],
  ["too long a wait", [wait({ timeout_secs: 31_536_001 })], ["body.steps[0].timeout_secs must be 1 to 31536000"]],
  ["no wait", [wait({ timeout_secs: 0 })], ["body.steps[0].timeout_secs must be 1 to 31536000"]],
  ["no time to decide", [approval({ timeout_secs: 0 })], ["body.steps[0].timeout_secs must be 1 to 31536000"]],
  [
    "an approver without a name",
    [approval({ approvers: ["ann", ""] })],
    ["body.steps[0].approvers[1] must have 1 to 256 characters"],
  ],
  ["51 approvers", [approval({ approvers: Array(51).fill("x") })], ["body.steps[0].approvers must name at most 50"]],
  ["an empty message", [approval({ message: "" })], ["body.steps[0].message must have 1 to 2000 characters"]],
  [
    "a private address",
    [wait({ notify_url: "http://10.0.0.1/" })],
    [
      "body.steps[0].notify_url The URL points to 10.0.0.1, a private address. To allow private addresses, the operator sets ALLOW_PRIVATE_ENDPOINTS, for example to 10.0.0.0/8.",
    ],
  ],
];

const DURATIONS: Case[] = [
  ...["", "5", "1d", "h", "1.5h", "-1s", "0s", "5m1h", " 5m"].map(
    (text): Case => [`the duration "${text}"`, [sleep(text)], [`body.steps[0].sleep_duration ${DURATION}`]],
  ),
  ["more than a year", [sleep("8761h")], ["body.steps[0].sleep_duration must be at most 365 days (8760h)"]],
  ...["1s", "30s", "5m", "1h", "168h", "1h30m", "8760h"].map(
    (text): Case => [`the duration ${text}`, [sleep(text)], []],
  ),
];

const TEMPLATES: Case[] = [
  [
    "an open template",
    [job("a", { payload: { id: "{{payload.id" } })],
    ['body.steps[0].payload.id has "{{" at position 0 without "}}"'],
  ],
  [
    "a template deep in a payload",
    [job("a", { payload: { items: [{ "a b": "{{env.X}}" }] } })],
    ['body.steps[0].payload.items[0]["a b"] reads env.X, but a template can read only payload, parent_outputs'],
  ],
  [
    "a template in a key",
    [job("a", { payload: { "{{payload.x}}": 1 } })],
    ['body.steps[0].payload["{{payload.x}}"] has a template in a key, where it is not rendered'],
  ],
  [
    "its own output before it exists",
    [wait({ event_key: "{{output.id}}" })],
    ["body.steps[0].event_key reads output.id, but a template can read only payload, parent_outputs"],
  ],
  ["its own output in the emitted key", [job("a", { event_emit_key: "done-{{output.id}}" })], []],
  [
    "the output of an unknown step",
    [job("a", { payload: { x: "{{parent_outputs.b.id}}" } })],
    ["body.steps[0].payload.x reads parent_outputs.b, but there is no step b"],
  ],
  [
    "its own output by its name",
    [job("a", { concurrency_key: "{{parent_outputs.a.id}}" })],
    ["body.steps[0].concurrency_key reads parent_outputs.a, which is this step itself"],
  ],
  [
    "the output of a parallel step",
    [job("a"), wait({ event_key: "k-{{parent_outputs.a.id}}" })],
    [`body.steps[1].event_key reads parent_outputs.a, but a ${NOT_ENDED}`],
  ],
  [
    "the output of a later step",
    [approval({ message: "{{parent_outputs.b}}" }), job("b", after("ok"))],
    [`body.steps[0].message reads parent_outputs.b, but b ${NOT_ENDED}`],
  ],
  [
    "the output of an indirect dependency",
    [job("a"), job("b", after("a")), job("c", { ...after("b"), payload: { x: ["{{parent_outputs.a.y}}"] } })],
    [],
  ],
];

const EVENT_KEYS: Case[] = [
  ["an empty key", [wait({ event_key: "" })], ["body.steps[0].event_key must not be empty"]],
  [
    "a key with a line break",
    [wait({ event_key: "a\nb" })],
    ["body.steps[0].event_key must not contain control characters"],
  ],
  ["a key of dots", [wait({ event_key: ".." })], ['body.steps[0].event_key must not be ".."']],
  [
    "a key of 513",
    [wait({ event_key: "x".repeat(513) })],
    ["body.steps[0].event_key must have at most 512 characters"],
  ],
  [
    "a template of 2001",
    [wait({ event_key: "x".repeat(2_001) })],
    ["body.steps[0].event_key must have at most 2000 characters"],
  ],
  [
    "a key that no template can make valid",
    [wait({ event_key: "{{payload.a}}\t{{payload.b}}" })],
    ["body.steps[0].event_key must not contain control characters"],
  ],
  ["dots that a template completes", [wait({ event_key: "..{{payload.a}}" })], []],
  ["a template alone", [wait({ event_key: "{{payload.a}}" })], []],
  ["a key of 512", [wait({ event_key: "é".repeat(512) })], []],
  ["an emitted key of dots", [job("a", { event_emit_key: "." })], ['body.steps[0].event_emit_key must not be "."']],
];

const CONDITIONS: Case[] = [
  ["no expression", [job("a", { condition: "" })], ["body.steps[0].condition Unexpected token: EOF (at position 0)"]],
  [
    "an expression that is not a boolean",
    [job("a", { condition: "1 + 1" })],
    ["body.steps[0].condition must return true or false, but returns int"],
  ],
  [
    "an unknown variable",
    [job("a", { condition: "env.x == 1" })],
    ["body.steps[0].condition Unknown variable: env (at position 0)"],
  ],
  [
    "the output of an unknown step",
    [job("a", { condition: "parent_outputs.b.ok" })],
    ["body.steps[0].condition reads parent_outputs.b, but there is no step b"],
  ],
  [
    "the status of a parallel step, twice",
    [job("a"), job("b", { condition: 'steps.a.status == "failed" || steps["a"].status == "skipped"' })],
    [`body.steps[1].condition reads steps.a, but a ${NOT_ENDED}`],
  ],
  [
    "its own status",
    [job("a", { condition: 'steps.a.status == "pending"' })],
    ["body.steps[0].condition reads steps.a, which is this step itself"],
  ],
  [
    "a name with a hyphen, written correctly",
    [job("a-b"), job("c", { ...after("a-b"), condition: 'steps["a-b"].status == "completed"' })],
    [],
  ],
  [
    "a name with a hyphen, misread as minus",
    [job("a-b"), job("c", { ...after("a-b"), condition: "parent_outputs.a-b.x > 1" })],
    ['body.steps[1].condition Unknown variable: b (at position 17); a name with a hyphen is written steps["a-b"]'],
  ],
  [
    "everything it may read",
    [
      job("a"),
      job("b", after("a")),
      job("c", {
        ...after("b"),
        condition:
          'payload.total > 100 && parent_outputs.a.ok && steps.b.status == "completed" && has(parent_outputs.b.x)',
      }),
    ],
    [],
  ],
];

const LIST = "must be one template that yields a list, such as {{payload.orders}}, or a list";

const MAPS: Case[] = [
  [
    "a map over a job and one over a workflow",
    [map(), { ...map(), step_ref: "n", ...only("workflow_id", "pack") }],
    [],
  ],
  [
    "a map without a list, a job or a workflow",
    [{ step_ref: "m", type: "map" }],
    ["body.steps[0].job_id is required, unless there is a workflow_id", "body.steps[0].items is required"],
  ],
  [
    "a map over both",
    [map({ workflow_id: WORKFLOW })],
    ["body.steps[0].workflow_id cannot be given together with job_id: a map runs a job or a workflow"],
  ],
  ["a map over an unknown job", [map({ job_id: "nobody" })], ["body.steps[0].job_id is not a job of this project"]],
  [
    "unknown workflows",
    [{ ...map(), ...only("workflow_id", "nobody") }, sub({ workflow_id: "nothing" })],
    [
      "body.steps[0].workflow_id is not a workflow of this project",
      "body.steps[1].workflow_id is not a workflow of this project",
    ],
  ],
  ["a list that is text", [map({ items: "all of {{payload.list}}" })], [`body.steps[0].items ${LIST}`]],
  ["a list that is a number", [map({ items: 7 })], [`body.steps[0].items ${LIST}`]],
  [
    "a list of 10,001",
    [map({ items: Array.from({ length: 10_001 }, () => 1) })],
    ["body.steps[0].items must have at most 10000 items"],
  ],
  [
    "bounds",
    [map({ max_parallel: 0, tolerate_failures: -1 }), { ...map({ max_parallel: 1_001 }), step_ref: "n" }],
    [
      "body.steps[0].max_parallel must be 1 to 1000",
      "body.steps[0].tolerate_failures must be true, false or 0 to 10000",
      "body.steps[1].max_parallel must be 1 to 1000",
    ],
  ],
  ["tolerance of all, of none and of some", [map({ tolerate_failures: true })], []],
  [
    "templates",
    [
      map({
        items: "{{item.list}}",
        payload: { a: "{{item.a}}", b: "{{index}}", c: "{{nobody}}", d: "{{parent_outputs.sub.x}}" },
      }),
      sub({ payload: { a: "{{item}}" } }),
    ],
    [
      "body.steps[0].items reads item.list, but a template can read only payload, parent_outputs",
      "body.steps[0].payload.c reads nobody, but a template can read only payload, parent_outputs, item, index",
      `body.steps[0].payload.d reads parent_outputs.sub, but sub ${NOT_ENDED}`,
      "body.steps[1].payload.a reads item, but a template can read only payload, parent_outputs",
    ],
  ],
  [
    "a sub-workflow without its workflow",
    [{ step_ref: "s", type: "sub_workflow" }],
    ["body.steps[0].workflow_id is required"],
  ],
  [
    "fields of another type",
    [sub({ job_id: JOB, max_parallel: 3 }), job("a", { workflow_id: WORKFLOW, items: [] })],
    [
      "body.steps[0].job_id is not a field of a sub_workflow step",
      "body.steps[0].max_parallel is not a field of a sub_workflow step",
      "body.steps[1].workflow_id is not a field of a job step",
      "body.steps[1].items is not a field of a job step",
    ],
  ],
];

/** Instead of the job. */
function only(name: "workflow_id", value: string): Partial<StepInput> {
  return { [name]: value, job_id: null as never };
}

const all = { NAMES, CYCLES, FIELDS, DURATIONS, TEMPLATES, EVENT_KEYS, CONDITIONS, MAPS };

describe.each(Object.entries(all))("the issues of steps: %s", (_, cases) => {
  it.each(cases)("W1 W2 W3 W5 %s", (_what, steps, issues) => {
    expect(reported(steps)).toEqual(issues);
  });
});

describe("the value of an issue", () => {
  it("W1 is the text at its location, truncated if it is long", () => {
    const steps = [
      job("a", { payload: { to: ["{{env.A}}"], from: `{{parent_outputs.b.x}}${"x".repeat(300)}` } }),
      approval({ approvers: [""] }),
      map({ items: ["{{env.B}}"] }),
    ];
    const found = stepIssues(steps, { jobs, workflows, private_endpoints: "refuse" });
    expect(found.map(({ location, value }) => [location, value])).toEqual([
      ["body.steps[0].payload.to[0]", "{{env.A}}"],
      ["body.steps[0].payload.from", `{{parent_outputs.b.x}}${"x".repeat(178)}`],
      ["body.steps[1].approvers[0]", ""],
      ["body.steps[2].items[0]", "{{env.B}}"],
    ]);
  });
});

describe("many issues", () => {
  it("W1 are reported all at once, in the order of the steps, the cycles last", () => {
    const steps: StepInput[] = [
      job("a b", { ...after("c"), job_id: "nobody" }),
      wait({ event_key: "{{payload.x", timeout_secs: 0, ...after("gone") }),
      sleep("1d"),
      job("c", { ...after("d"), condition: "oops(" }),
      job("d", { ...after("c"), payload: "{{parent_outputs.w.x}}" }),
    ];
    expect(reported(steps).map((issue) => issue.split(" ", 1)[0])).toEqual([
      "body.steps[0].step_ref",
      "body.steps[0].job_id",
      "body.steps[1].depends_on[0]",
      "body.steps[1].timeout_secs",
      "body.steps[1].event_key",
      "body.steps[2].sleep_duration",
      "body.steps[3].condition",
      "body.steps[4].depends_on[0]",
    ]);
  });

  it("W1 are bounded for 500 steps that all depend on each other", () => {
    const refs = Array.from({ length: 500 }, (_, i) => `s${i}`);
    const issues = reported(refs.map((ref) => job(ref, { ...after(...refs), payload: "{{parent_outputs.s0.x}}" })));
    expect(issues.length).toBeLessThanOrEqual(101);
    expect(Math.max(...issues.map((issue) => issue.length))).toBeLessThan(1_000);
  });
});
