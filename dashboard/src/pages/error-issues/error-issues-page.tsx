import type { ErrorIssue } from "@millrace/contract/alerts/error-issues";
import { useRouter } from "@tanstack/react-router";
import { BadgeCheck, RefreshCw } from "lucide-react";
import { withQuery } from "../../api/call.ts";
import { useApiList } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ListPage } from "../../parts/table/list-page.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { issueColumns } from "./issue-columns.tsx";

const STATUSES = [
  { id: "open", label: "Open" },
  { id: "resolved", label: "Resolved" },
  { id: "ignored", label: "Ignored" },
  { id: "all", label: "All" },
];

/** Failures with the same cause, as issues that are resolved, ignored or assigned. */
export default function ErrorIssuesPage() {
  const [{ status = "open", assigned_to, job_id }, change] = useSearchParams();
  const { at, environmentFilter: environment_id } = usePlace();
  const { history } = useRouter();
  const query = { status: status === "all" ? undefined : status, assigned_to, job_id, environment_id };
  const list = useApiList<ErrorIssue>("/v1/error-issues", query);
  const isNarrowed = assigned_to !== undefined || job_id !== undefined;
  return (
    <ListPage
      title="Errors"
      label="Error issues"
      actions={
        <>
          <IconButton
            label="Refresh"
            icon={<RefreshCw size={15} className={list.isFetching ? "animate-spin" : ""} />}
            onClick={() => void list.refetch()}
          />
          <AsCode
            about="Error issues"
            code={codeOf(
              { method: "GET", path: withQuery("/v1/error-issues", query) },
              { cli: `millrace errors list${status === "all" ? "" : ` --status ${status}`}` },
            )}
          />
        </>
      }
      toolbar={
        <>
          <Segments
            label="Status"
            value={status}
            options={STATUSES}
            onChange={(id) => change({ status: id === "open" ? undefined : id })}
          />
          {isNarrowed && (
            <button
              type="button"
              className="text-accent text-xs hover:underline"
              onClick={() => change({ assigned_to: undefined, job_id: undefined })}
            >
              {assigned_to === undefined ? "Show all jobs" : `Assigned to ${assigned_to}: show all`}
            </button>
          )}
        </>
      }
      list={list}
      columns={issueColumns}
      onOpen={({ id }) => history.push(at(`error-issues/${id}`))}
      empty={
        <EmptyState icon={<BadgeCheck size={20} />} title={status === "open" ? "No open issues" : "No issues match"}>
          Failures of a job with the same cause are listed here as one issue.
        </EmptyState>
      }
    />
  );
}
