import type { Job } from "@millrace/contract/jobs/jobs";
import { useRouter } from "@tanstack/react-router";
import { Ellipsis, FlaskConical, Pause, Play, Trash2 } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { Button } from "../../parts/form/button.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { Id } from "../../parts/id.tsx";
import { TypedConfirm } from "../../parts/overlay/confirm-dialog.tsx";
import { Menu } from "../../parts/overlay/menu.tsx";
import { useShortcut } from "../../parts/overlay/use-shortcut.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { jobState } from "./job-state.ts";
import { usePauseJob } from "./use-pause-job.ts";

/** Name, state and actions of a job. */
export function JobHeader({ job }: { job: Job }) {
  const [isDeleting, setDeleting] = useState(false);
  return (
    <PageHeader
      lead={<StatusMark status={jobState(job)} as="badge" />}
      title={job.name}
      count={
        <span className="flex items-center gap-2">
          <code className="font-mono text-xs">{job.slug}</code>
          <Id value={job.id} className="max-sm:hidden" />
        </span>
      }
      actions={<JobActions job={job} onDelete={() => setDeleting(true)} />}
    >
      {job.description && <p className="text-ink-2">{job.description}</p>}
      <DeleteJob job={job} open={isDeleting} onClose={() => setDeleting(false)} />
    </PageHeader>
  );
}

function JobActions({ job, onDelete }: { job: Job; onDelete: () => void }) {
  const [, change] = useSearchParams();
  const noWrite = useDisabledReason("jobs:write");
  const noTrigger = useDisabledReason("jobs:trigger");
  const pause = usePauseJob();
  const test = () => change({ tab: "test" });
  const verb = job.paused_at ? "Resume" : "Pause";
  useShortcut("n r", () => noTrigger ?? test());
  useShortcut("p", () => noWrite ?? pause.mutate(job));
  useCommands([
    { label: "Test job", keys: "n r", run: () => noTrigger ?? test() },
    { label: `${verb} job`, keys: "p", run: () => noWrite ?? pause.mutate(job) },
  ]);
  const remove = {
    label: "Delete job",
    icon: <Trash2 size={14} />,
    danger: true,
    disabledReason: noWrite,
    onSelect: onDelete,
  };
  return (
    <>
      <AsCode about="Job" code={triggerCode(job)} />
      <Button
        icon={job.paused_at ? <Play size={14} /> : <Pause size={14} />}
        disabledReason={noWrite}
        onClick={() => pause.mutate(job)}
      >
        {verb}
      </Button>
      <Button kind="primary" icon={<FlaskConical size={14} />} disabledReason={noTrigger} onClick={test}>
        Test
      </Button>
      <Menu
        label="More"
        align="end"
        trigger={<IconButton label="More" icon={<Ellipsis size={16} />} />}
        items={[remove]}
      />
    </>
  );
}

function triggerCode({ slug }: Job) {
  return codeOf(
    { method: "POST", path: `/v1/jobs/${slug}/trigger`, body: { payload: {} } },
    { cli: `millrace trigger ${slug} -d '{}'`, typescript: `await millrace.jobs.trigger("${slug}", {});` },
  );
}

function DeleteJob({ job, open, onClose }: { job: Job; open: boolean; onClose: () => void }) {
  const { at } = usePlace();
  const { history } = useRouter();
  const remove = useChange({
    run: (_, send) => send("DELETE", `/v1/jobs/${job.id}`),
    done: "Job deleted",
    invalidates: ["/v1/jobs"],
    onDone: () => history.push(at("jobs")),
  });
  return (
    <TypedConfirm
      open={open}
      typed={job.slug}
      onClose={onClose}
      title={`Delete ${job.name}?`}
      action="Delete job"
      onConfirm={() => remove.mutateAsync()}
    >
      <p>The job can no longer be triggered. Its runs are kept until their retention period ends.</p>
    </TypedConfirm>
  );
}
