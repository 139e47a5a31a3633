import type { CreatedApiKey } from "@millrace/contract/access/api-keys";
import type { Job } from "@millrace/contract/jobs/jobs";
import type { Run } from "@millrace/contract/runs/runs";
import { useQueryClient } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useEffect, useState } from "react";
import { useDisabledReason, useMay } from "../../api/me.ts";
import { type Page, useApi, useChange } from "../../api/use-api.ts";
import { useLive } from "../../live/use-live.ts";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Button } from "../../parts/form/button.tsx";
import { Link } from "../../parts/link.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { runStatus } from "../../parts/state/statuses.ts";
import { Segments } from "../../parts/tabs.tsx";
import { DEMO_SLUG } from "../../shell/demo/use-demo.ts";
import { placeOf, usePlace } from "../../shell/place/place.ts";
import { useProjects } from "../../shell/place/use-places.ts";
import { firstJobCode, LANGUAGES, type Language } from "./first-job-code.ts";

const ONE = { limit: 1 };
const PATHS = ["/v1/jobs", "/v1/runs"];
const NO_KEY = "svc_…";

/** Shows the first job in the user's language, until the first run has arrived and been viewed. */
export function Onboarding() {
  const jobs = useApi<Page<Job>>("/v1/jobs", ONE, useMay("jobs:read"));
  const runs = useApi<Page<Run>>("/v1/runs", ONE, useMay("runs:read"));
  useReadOnReturn();
  const run = runs.data?.data[0];
  const wasEmpty = useWasEmpty(runs.data);
  const { project } = usePlace();
  if (!wasEmpty || project === DEMO_SLUG) return null;
  return (
    <section aria-label="Get started" className="card flex flex-col gap-4 p-4 lg:p-5">
      <FirstJob />
      <Arrival job={jobs.data?.data[0]} run={run} />
      <DemoLink />
    </section>
  );
}

/** Whether the project had no run when the page was opened. */
function useWasEmpty(runs: Page<Run> | undefined): boolean {
  const [wasEmpty, setWasEmpty] = useState(false);
  const isEmpty = runs !== undefined && runs.data.length === 0;
  useEffect(() => {
    if (isEmpty) setWasEmpty(true);
  }, [isEmpty]);
  return wasEmpty || isEmpty;
}

function FirstJob() {
  const { environmentFilter } = usePlace();
  const [language, setLanguage] = useState<Language>("typescript");
  const [key, setKey] = useState<string>();
  const environment = environmentFilter === "production" ? undefined : environmentFilter;
  const steps = firstJobCode(language, { baseUrl: location.origin, apiKey: key ?? NO_KEY, environment });
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-60 flex-1">
          <h2 className="font-semibold text-lg">Run your first job</h2>
          <p className="text-ink-2">Copy the code, run it on your machine, and watch the run arrive here.</p>
        </div>
        <Segments label="Language" value={language} options={[...LANGUAGES]} onChange={setLanguage} />
      </div>
      <FillKey apiKey={key} onKey={setKey} />
      <ol className="flex flex-col gap-3">
        {steps.map(({ title, code }, nth) => (
          <li key={title}>
            <CodeBlock title={steps.length > 1 ? `${nth + 1}. ${title}` : title} code={code} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** A key of its own for the code, which is shown only here and now. */
function FillKey({ apiKey, onKey }: { apiKey: string | undefined; onKey: (key: string) => void }) {
  const noKeys = useDisabledReason("api-keys:write");
  const create = useChange<void, CreatedApiKey>({
    run: (_, send) => send("POST", "/v1/api-keys", { name: "First job" }),
    done: "API key created",
    invalidates: ["/v1/api-keys"],
    onDone: ({ key }) => onKey(key),
  });
  if (apiKey)
    return (
      <p role="status" className="flex items-center gap-2 text-ink-2">
        <StatusMark status="completed" as="mark" />
        The code contains your new key “First job”. It is not shown again after you leave this page.
      </p>
    );
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <Button
        kind="primary"
        icon={<KeyRound size={14} />}
        busy={create.isPending}
        disabledReason={noKeys}
        onClick={() => create.mutate()}
      >
        Create API key and fill it in
      </Button>
      <span className="text-ink-2">Or replace {NO_KEY} with an existing key.</span>
    </div>
  );
}

/** The progress so far, updated live. */
function Arrival({ job, run }: { job: Job | undefined; run: Run | undefined }) {
  const { at } = usePlace();
  if (run)
    return (
      <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-sm border bg-selected px-3 py-2">
        <StatusMark status={runStatus(run)} />
        <span className="font-medium">Your first run has arrived.</span>
        <Link href={at(`runs/${run.id}`)} className="font-medium text-accent hover:underline">
          Open run
        </Link>
      </p>
    );
  return (
    <p role="status" className="flex items-center gap-2 rounded-sm border bg-surface px-3 py-2 text-ink-2">
      <StatusMark status="running" label="Waiting" as="mark" />
      {job ? `Job ${job.name} created. Waiting for its first run…` : "Waiting for the first job…"}
    </p>
  );
}

function DemoLink() {
  const { project } = usePlace();
  const demo = useProjects().data?.data.find(({ slug }) => slug === "demo");
  if (!demo || demo.slug === project) return null;
  return (
    <p className="text-ink-2">
      Want to look around first?{" "}
      <Link href={placeOf(demo.slug, "production").at("home")} className="font-medium text-accent hover:underline">
        Open the demo project
      </Link>
    </p>
  );
}

/** Runs are followed by the stream. Jobs have no topic, so they are read again when a run arrives or the tab becomes visible. */
function useReadOnReturn(): void {
  const client = useQueryClient();
  const read = () =>
    void client.invalidateQueries({ predicate: ({ queryKey }) => PATHS.includes(String(queryKey[1])) });
  useLive(["runs"], read, read);
  useEffect(() => {
    addEventListener("focus", read);
    return () => removeEventListener("focus", read);
  });
}
