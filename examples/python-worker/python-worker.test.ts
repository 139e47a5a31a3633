import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { jobEndpoint } from "../../server/test/outside/job-endpoint.ts";
import { exampleService } from "../testing/example-service.ts";
import { expectedOutput } from "../testing/example-test.ts";
import { runProgram } from "../testing/run-program.ts";

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const folder = import.meta.dirname;

it.runIf(hasPython)("prints the expected output with only the standard library (needs python3)", async () => {
  const world = await exampleService();
  const { code, stdout, stderr } = await runProgram(folder, ["python3", "-W", "error", "main.py"], world.env).ended;
  expect(stderr).toBe("");
  expect([code, stdout]).toEqual([0, expectedOutput(folder)]);

  const runs = (await world.as(world.key).get("/v1/runs")).body.data;
  const logs = (await world.as(world.key).get(`/v1/runs/${runs[0].id}/logs?order=asc`)).body.data;
  expect(logs.map(({ message }: { message: string }) => message).sort()).toEqual([
    "counted",
    "many words: asking for confirmation",
    "many words: asking for confirmation",
  ]);
});

it.runIf(hasPython)("rejects requests that are unsigned, outdated or signed for another body", async () => {
  const world = await exampleService();
  const endpoint = await jobEndpoint();
  const api = world.as(world.key);
  await api.post("/v1/jobs", { name: "Capture", slug: "capture", endpoint_url: endpoint.url });
  await api.post("/v1/jobs/capture/trigger?wait_secs=10", { payload: {} });
  const [dispatch] = endpoint.dispatches;
  if (!dispatch) throw new Error("nothing was dispatched");
  const { headers, raw } = dispatch;
  const signed = { "X-Svc-Timestamp": headers["x-svc-timestamp"], "X-Svc-Signature": headers["x-svc-signature"] };

  const verify = (given: object, body: string) => {
    const script =
      "import sys, json, millrace_worker as m; h, b, s = json.load(sys.stdin); print(m.is_signed(s, h, b.encode()))";
    const input = JSON.stringify([given, body, world.env.MILLRACE_SIGNING_SECRET]);
    return spawnSync("python3", ["-c", script], { cwd: folder, input, encoding: "utf8" }).stdout.trim();
  };
  expect(verify(signed, raw)).toBe("True");
  expect(verify(signed, `${raw} `)).toBe("False");
  expect(verify({ ...signed, "X-Svc-Signature": undefined }, raw)).toBe("False");
  expect(verify({ ...signed, "X-Svc-Timestamp": String(Number(signed["X-Svc-Timestamp"]) - 301) }, raw)).toBe("False");
});

it.runIf(hasPython)("fails a run whose result is not JSON, and claims the next", async () => {
  const world = await exampleService();
  const api = world.as(world.key);
  await api.post("/v1/jobs", { name: "Odd", slug: "odd", delivery: "pull" });
  const ids: string[] = [];
  for (const payload of ["object", "nan", "number"])
    ids.push((await api.post("/v1/jobs/odd/trigger", { payload })).body.id);
  const script = `
import os, threading, time, millrace_worker as m
results = {"object": object(), "nan": float("nan"), "number": 7}
url, key = os.environ["MILLRACE_BASE_URL"], os.environ["MILLRACE_API_KEY"]
worker = m.Worker({"odd": lambda run: results[run.payload]}, key, url, concurrency=1)
threading.Thread(target=worker.run, daemon=True).start()
while m.call("GET", f"{url}/v1/runs/${ids[2]}", key)["finished_at"] is None: time.sleep(0.05)
`;
  expect(await runProgram(folder, ["python3", "-c", script], world.env).ended).toMatchObject({ code: 0, stderr: "" });
  const ends = await Promise.all(ids.map(async (id) => (await api.get(`/v1/runs/${id}`)).body));
  expect(ends.map(({ error, result }) => error?.code ?? result)).toEqual(["result_rejected", "result_rejected", 7]);
});
