import type { Job } from "@millrace/contract/jobs/jobs";
import type { Run } from "@millrace/contract/runs/runs";
import { ChevronDown, Save } from "lucide-react";
import { useState } from "react";
import { useMay } from "../../../api/me.ts";
import { type Page, useApi } from "../../../api/use-api.ts";
import { Button } from "../../../parts/form/button.tsx";
import { IconButton } from "../../../parts/form/icon-button.tsx";
import { Menu, type MenuItem } from "../../../parts/overlay/menu.tsx";
import { toast } from "../../../parts/overlay/toasts.tsx";
import { sampleOf } from "../../shared-runs/check-schema.ts";

type Props = { job: Job; payload: unknown; onPick: (payload: unknown) => void };
type Sample = { name: string; payload: unknown };

const RECENT = 8;
const MAX_SAVED = 20;

/** Payloads of recent runs, saved ones, and a sample generated from the schema. */
export function Payloads({ job, payload, onPick }: Props) {
  const { data } = useApi<Page<Run>>("/v1/runs", { job_id: job.id, limit: 20 }, useMay("runs:read"));
  const [saved, setSaved] = useState(() => readSaved(job.id));
  const recent = [...new Map((data?.data ?? []).map((run) => [JSON.stringify(run.payload), run.payload])).entries()];
  const keep = () => {
    const next = [{ name: new Date().toLocaleString(), payload }, ...saved].slice(0, MAX_SAVED);
    setSaved(next);
    writeSaved(job.id, next);
    toast({ title: "Payload saved in this browser" });
  };
  const items: MenuItem[] = [
    ...(job.payload_schema
      ? [{ label: "Sample from schema", onSelect: () => onPick(sampleOf(job.payload_schema)) }]
      : []),
    { kind: "heading", label: "Recent runs" },
    ...recent.slice(0, RECENT).map(
      ([text, value]): MenuItem => ({
        label: <code className="font-mono text-xs">{text.slice(0, 60)}</code>,
        onSelect: () => onPick(value),
      }),
    ),
    { kind: "heading", label: "Saved in this browser" },
    ...saved.map(({ name, payload: value }): MenuItem => ({ label: name, onSelect: () => onPick(value) })),
  ];
  return (
    <div className="flex items-center gap-2">
      <Menu
        label="Payloads"
        width={320}
        items={items}
        trigger={
          <Button size="small">
            Recent payloads <ChevronDown size={13} className="text-ink-3" />
          </Button>
        }
      />
      <IconButton
        label="Save payload in this browser"
        size="small"
        icon={<Save size={14} />}
        disabled={payload === undefined}
        onClick={keep}
      />
    </div>
  );
}

/** Storage may be unavailable. */
function readSaved(jobId: string): Sample[] {
  try {
    return JSON.parse(localStorage.getItem(`millrace-payloads ${jobId}`) ?? "[]");
  } catch {
    return [];
  }
}

function writeSaved(jobId: string, samples: Sample[]): void {
  try {
    localStorage.setItem(`millrace-payloads ${jobId}`, JSON.stringify(samples));
  } catch {}
}
