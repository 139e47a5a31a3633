import { describe, expect, it } from "vitest";
import { formatRecords } from "./format-records.ts";
import type { LogRecord } from "./read-records.ts";

const record = (more: Partial<LogRecord> = {}): LogRecord => ({
  ...{ id: "l1", time: "2030-01-01T00:00:00.123Z", level: "info", message: "hello\nworld", fields: null },
  ...{ project_id: "p1", environment_id: "e1", job_id: "j1", job_slug: "mail", run_id: "r1", attempt: 2 },
  ...{ workflow_run_id: null, step_ref: null },
  ...more,
});
const NANOS = "1893456000123000000";

describe("json", () => {
  it("is an array of records as they are", () => {
    const records = [record(), record({ id: "l2", fields: { deep: [1, { a: null }] } })];
    const { body, content_type } = formatRecords("json", records);
    expect(content_type).toBe("application/json");
    expect(JSON.parse(body)).toEqual(records);
  });

  it("omits the internal columns of a record", () => {
    const { body } = formatRecords("json", [{ ...record(), position: 7, created_at: "x" } as LogRecord]);
    expect(Object.keys(JSON.parse(body)[0])).toEqual(Object.keys(record()));
  });
});

describe("ndjson", () => {
  it("is one record per line, whatever the message contains", () => {
    const { body, content_type } = formatRecords("ndjson", [record(), record({ message: "a\r\nb\u2028c" })]);
    expect(content_type).toBe("application/x-ndjson");
    const lines = body.split("\n");
    expect(lines.pop()).toBe("");
    expect(lines.map((line) => JSON.parse(line).message)).toEqual(["hello\nworld", "a\r\nb\u2028c"]);
  });
});

/** Reads the JSON of OTLP as a collector would: strict about names and types. */
function readOtlp(body: string) {
  const { resourceLogs, ...rest } = JSON.parse(body);
  expect(rest).toEqual({});
  return resourceLogs.flatMap((resource: { resource: { attributes: unknown[] }; scopeLogs: unknown[] }) =>
    resource.scopeLogs.flatMap((scope) =>
      (scope as { logRecords: Record<string, unknown>[] }).logRecords.map((log) => ({
        nanos: BigInt(log.timeUnixNano as string),
        severity: log.severityNumber as number,
        text: (log.body as { stringValue: string }).stringValue,
        resource: readAttributes(resource.resource.attributes),
        attributes: readAttributes(log.attributes as unknown[]),
      })),
    ),
  );
}

function readAttributes(list: unknown[]): Record<string, unknown> {
  return Object.fromEntries(
    (list as { key: string; value: object }[]).map(({ key, value }) => [key, readValue(value)]),
  );
}

function readValue(value: object): unknown {
  const [[kind, content] = ["", null], ...more] = Object.entries(value);
  expect(more).toEqual([]);
  if (kind === "stringValue" || kind === "boolValue" || kind === "doubleValue") return content;
  if (kind === "intValue") {
    expect(typeof content).toBe("string");
    return Number(content);
  }
  if (kind === "arrayValue") return content.values.map(readValue);
  if (kind === "kvlistValue") return readAttributes(content.values);
  throw new Error(`OTLP knows no ${kind}`);
}

describe("otlp", () => {
  it("is readable by a collector: times in nanoseconds, severities, typed attributes", () => {
    const fields = { count: 3, share: 0.5, ok: true, list: ["a", 1], deep: { b: "c" }, nothing: null };
    const [log] = readOtlp(formatRecords("otlp", [record({ level: "error", fields })]).body);
    expect(log).toMatchObject({
      ...{ nanos: BigInt(NANOS), severity: 17, text: "hello\nworld" },
      resource: { "service.name": "millrace", "millrace.project_id": "p1" },
      attributes: { "millrace.run_id": "r1", "millrace.attempt": 2, count: 3, share: 0.5, ok: true },
    });
    expect(log.attributes).toMatchObject({ list: ["a", 1], deep: { b: "c" } });
    expect(log.attributes).not.toHaveProperty("nothing");
    expect(log.attributes).not.toHaveProperty("millrace.step_ref");
  });

  it("has a severity for every level, in order", () => {
    const levels = ["debug", "info", "warn", "error"] as const;
    const read = readOtlp(
      formatRecords(
        "otlp",
        levels.map((level) => record({ level })),
      ).body,
    );
    expect(read.map(({ severity }: { severity: number }) => severity)).toEqual([5, 9, 13, 17]);
  });
});

describe("loki", () => {
  it("groups lines of equal labels into streams, with times in nanoseconds and the run in the line", () => {
    const records = [record(), record({ id: "l2", level: "error", run_id: "r2" }), record({ id: "l3", run_id: "r3" })];
    const { streams, ...rest } = JSON.parse(formatRecords("loki", records).body);
    expect(rest).toEqual({});
    expect(streams).toHaveLength(2);
    for (const { stream, values } of streams) {
      for (const [name, value] of Object.entries(stream)) {
        expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_]*$/);
        expect(typeof value).toBe("string");
      }
      for (const pair of values) expect(pair).toEqual([NANOS, expect.any(String)]);
    }
    expect(streams[0].stream).toEqual({
      ...{ service_name: "millrace", project_id: "p1", environment_id: "e1", job: "mail", level: "info" },
    });
    expect(streams[0].values.map(([, line]: [string, string]) => JSON.parse(line).run_id)).toEqual(["r1", "r3"]);
    expect(JSON.parse(streams[1].values[0][1])).toMatchObject({ id: "l2", message: "hello\nworld", attempt: 2 });
  });

  it("omits a label without a value", () => {
    const { streams } = JSON.parse(formatRecords("loki", [record({ job_slug: null, environment_id: null })]).body);
    expect(Object.keys(streams[0].stream)).toEqual(["service_name", "project_id", "level"]);
  });
});
