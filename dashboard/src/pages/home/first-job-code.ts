/** The same first job in several languages: a worker that claims its runs, so that no port has to be reachable. */
export const LANGUAGES = [
  { id: "typescript", label: "TypeScript" },
  { id: "python", label: "Python" },
  { id: "curl", label: "curl" },
] as const;
export type Language = (typeof LANGUAGES)[number]["id"];

type Place = { baseUrl: string; apiKey: string; environment: string | undefined };

/** The steps to the first run, each with its code. */
export function firstJobCode(language: Language, place: Place): { title: string; code: string }[] {
  if (language === "typescript")
    return [
      { title: "Install the SDK", code: "npm install @millrace/sdk" },
      { title: "Save as hello.ts, and run it: npx tsx hello.ts", code: typescript(place) },
    ];
  if (language === "python")
    return [{ title: "Save as hello.py, and run it: python3 hello.py (no packages needed)", code: python(place) }];
  return [
    { title: "Create a job that a worker claims", code: jobByCurl(place) },
    { title: "Trigger a run", code: triggerByCurl(place) },
    { title: "Claim it, as a worker does", code: claimByCurl(place) },
  ];
}

function typescript({ baseUrl, apiKey, environment }: Place): string {
  return `import { createClient, createWorker, defineJob, sync } from "@millrace/sdk";

const client = createClient({ baseUrl: "${baseUrl}", apiKey: "${apiKey}" });

const hello = defineJob({
  id: "hello",
  run: async ({ name }: { name: string }, ctx) => {
    const text = await ctx.step("greet", () => \`Hello \${name}\`);
    ctx.log.info(text);
    return { text };
  },
});

await sync(client, { jobs: [hello], delivery: "pull" });
createWorker({ jobs: [hello], client }).start();

const run = await client.jobs.trigger(hello, { name: "Ada" }${environment ? `, { environment: "${environment}" }` : ""});
console.log(await run.unwrap());`;
}

function python({ baseUrl, apiKey, environment }: Place): string {
  return `import json, urllib.request, uuid

def call(path, body):
    request = urllib.request.Request("${baseUrl}" + path, json.dumps(body).encode(),
        {"Authorization": "Bearer ${apiKey}", "Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request))

def hello(payload):
    return {"text": "Hello " + payload["name"]}

call("/v1/jobs", {"name": "Hello", "slug": "hello", "delivery": "pull"})
call("/v1/jobs/hello/trigger", {"payload": {"name": "Ada"}${environment ? `, "environment_id": "${environment}"` : ""}})

worker = str(uuid.uuid4())
claim = call("/worker/v1/claims", {"worker_id": worker, "claim_id": str(uuid.uuid4()), "jobs": ["hello"], "wait_secs": 10})
for run in claim["runs"]:
    call("/worker/v1/results", {"worker_id": worker, "results": [{
        "run_id": run["run_id"], "attempt": run["attempt"], "lease_token": run["lease_token"],
        "status": "completed", "result": hello(run["payload"])}]})`;
}

function jobByCurl(place: Place): string {
  return curl(place, "/v1/jobs", `{"name": "Hello", "slug": "hello", "delivery": "pull"}`);
}

function triggerByCurl(place: Place): string {
  const environment = place.environment ? `, "environment_id": "${place.environment}"` : "";
  return curl(place, "/v1/jobs/hello/trigger", `{"payload": {"name": "Ada"}${environment}}`);
}

function claimByCurl(place: Place): string {
  const body = `{"worker_id": "my-terminal", "claim_id": "'$(uuidgen)'", "jobs": ["hello"], "wait_secs": 5}`;
  return curl(place, "/worker/v1/claims", body);
}

function curl({ baseUrl, apiKey }: Place, path: string, body: string): string {
  return `curl -s ${baseUrl}${path} \\\n  -H "Authorization: Bearer ${apiKey}" \\\n  -H "Content-Type: application/json" \\\n  -d '${body}'`;
}
