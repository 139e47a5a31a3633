import type { ApiKey } from "@millrace/contract/api-keys";
import type { Job } from "@millrace/contract/jobs";
import type { Run } from "@millrace/contract/runs";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { useMay } from "../../api/me.ts";
import { type Page, useApi } from "../../api/use-api.ts";
import { useLive } from "../../live/use-live.ts";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Link } from "../../parts/link.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { placeOf, usePlace } from "../../shell/place.ts";
import { useProjects } from "../../shell/use-places.ts";

const ONE = { limit: 1 };
const PATHS = ["/v1/api-keys", "/v1/jobs", "/v1/runs"];

/** Steps to the first run. Each is checked off by the stream, or when the tab regains focus. */
export function Onboarding() {
  const { at } = usePlace();
  const keys = useApi<Page<ApiKey>>("/v1/api-keys", ONE, useMay("api-keys:read"));
  const jobs = useApi<Page<Job>>("/v1/jobs", ONE, useMay("jobs:read"));
  const runs = useApi<Page<Run>>("/v1/runs", ONE, useMay("runs:read"));
  useReadOnReturn();
  const has = (list: Page<unknown> | undefined) => (list?.data.length ?? 0) > 0;
  if (runs.data === undefined || has(runs.data)) return null;
  const slug = jobs.data?.data[0]?.slug ?? "hello";
  return (
    <section aria-label="Get started" className="card flex flex-col gap-4 p-4 lg:p-5">
      <div>
        <h2 className="font-semibold text-lg">Get started</h2>
        <p className="text-ink-2">
          Three steps to your first run. Each is checked off when it is done, here or in your terminal.
        </p>
      </div>
      <ol className="grid gap-4 xl:grid-cols-3">
        <Step nth={1} isDone={has(keys.data)} title="Create an API key">
          <p className="text-ink-2">Programs authenticate with it. It is shown only once.</p>
          <p>
            <Link href={at("api-keys")} className="font-medium text-accent hover:underline">
              Create API key
            </Link>
          </p>
          <CodeBlock code={'export MILLRACE_API_KEY="svc_…"'} />
        </Step>
        <Step nth={2} isDone={has(jobs.data)} title="Create a job">
          <p className="text-ink-2">A job is an HTTP endpoint of yours that Millrace calls.</p>
          <CodeBlock
            code={curl("/v1/jobs", { name: "Hello", slug: "hello", endpoint_url: "https://example.com/jobs/hello" })}
          />
        </Step>
        <Step nth={3} isDone={has(runs.data)} title="Trigger a run">
          <p className="text-ink-2">The run and its result appear here immediately.</p>
          <CodeBlock code={curl(`/v1/jobs/${slug}/trigger`, { payload: { hello: "world" } })} />
        </Step>
      </ol>
      <DemoLink />
    </section>
  );
}

function Step({ nth, isDone, title, children }: { nth: number; isDone: boolean; title: string; children: ReactNode }) {
  return (
    <li className="flex min-w-0 flex-col gap-2">
      <h3 className="flex items-center gap-2 font-medium">
        <StatusMark status={isDone ? "completed" : "pending"} as="mark" />
        {nth}. {title}
        {isDone && <span className="font-normal text-ink-3 text-xs">done</span>}
      </h3>
      {children}
    </li>
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

function curl(path: string, body: unknown): string {
  return `curl -s ${location.origin}${path} \\\n  -H "Authorization: Bearer $MILLRACE_API_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '${JSON.stringify(body)}'`;
}
