import type { ErrorIssueDetail } from "@millrace/contract/alerts/error-issues";
import { useParams } from "@tanstack/react-router";
import { useApi } from "../../api/use-api.ts";
import { Stat } from "../../parts/chart/stat.tsx";
import { AsCode } from "../../parts/code/as-code.tsx";
import { Facts, Section } from "../../parts/facts.tsx";
import { formatCount } from "../../parts/format.ts";
import { Id, shortId } from "../../parts/id.tsx";
import { Link } from "../../parts/link.tsx";
import { PageBody, PageHeader } from "../../parts/page-header.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { NoObject } from "../../parts/state/no-object.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { Time } from "../../parts/time.tsx";
import { VaryingText } from "../../parts/varying-text.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { useEnvironments } from "../../shell/place/use-places.ts";
import { codeOf } from "../code-of.ts";
import { IssueActions } from "./issue-actions.tsx";
import { ISSUE_MARKS } from "./issue-columns.tsx";
import { IssueTrend } from "./issue-trend.tsx";

/** An error issue: how often and where it occurs, and what was done about it. */
export default function ErrorIssuePage() {
  const { issueId = "" } = useParams({ strict: false }) as { issueId?: string };
  const path = `/v1/error-issues/${issueId}`;
  const { data: issue, error, refetch } = useApi<ErrorIssueDetail>(path);
  if (error && !issue)
    return <NoObject error={error} onRetry={() => void refetch()} noun="error issue" list="error-issues" />;
  if (!issue)
    return (
      <PageBody>
        <SkeletonLines lines={6} />
      </PageBody>
    );
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      {error && <ErrorState error={error} as="banner" onRetry={() => void refetch()} />}
      <PageHeader
        lead={<StatusMark {...ISSUE_MARKS[issue.status]} as="badge" />}
        title={`Error in ${issue.job_slug ?? shortId(issue.job_id)}`}
        actions={
          <>
            <AsCode
              about="Error issue"
              code={codeOf({ method: "GET", path }, { cli: `millrace errors replay ${issueId}` })}
            />
            <IssueActions issue={issue} />
          </>
        }
      >
        <p className="break-words font-medium">
          <VaryingText text={issue.message} />
        </p>
      </PageHeader>
      <PageBody className="flex flex-col gap-5">
        <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
          <Stat label="Failed runs" value={formatCount(issue.runs)} />
          <Stat label="Failed attempts" value={formatCount(issue.attempts)} hint="including retried ones" />
          <Stat label="First seen" value={<Time at={issue.first_seen_at} />} />
          <Stat label="Last seen" value={<Time at={issue.last_seen_at} />} />
        </div>
        <IssueTrend issue={issue} />
        <div className="grid gap-5 lg:grid-cols-2">
          <Details issue={issue} />
          <AffectedRuns issue={issue} />
        </div>
      </PageBody>
    </div>
  );
}

function Details({ issue }: { issue: ErrorIssueDetail }) {
  const { at } = usePlace();
  const environment = useEnvironments().find(({ id }) => id === issue.environment_id)?.name;
  return (
    <Section title="Details">
      <Facts
        facts={[
          [
            "Job",
            <Link key="j" href={at(`jobs/${issue.job_id}`)} className="font-medium text-accent hover:underline">
              {issue.job_slug ?? shortId(issue.job_id)}
            </Link>,
          ],
          ["Step", issue.step_ref],
          ["Environment", environment ?? shortId(issue.environment_id)],
          ["Code", issue.code && <code className="font-mono text-xs">{issue.code}</code>],
          ["HTTP status", issue.http_status],
          ["Versions", <Versions key="v" issue={issue} />],
          ["Assigned to", issue.assigned_to ?? "nobody"],
          ["Resolved", issue.resolved_at && <Time at={issue.resolved_at} />],
          ["Reopened", issue.reopened_count > 0 && `${issue.reopened_count} times`],
          ["Id", <Id key="i" value={issue.id} head={8} tail={12} />],
        ].map(([name, value]) => [name as string, value === false ? null : value])}
      />
    </Section>
  );
}

function Versions({ issue: { versions } }: { issue: ErrorIssueDetail }) {
  if (versions.length === 0) return "none";
  return (
    <ul className="flex flex-col">
      {versions.map(({ job_version_id, version, attempts }) => (
        <li key={job_version_id}>
          {version ?? "deleted"} <span className="text-ink-3">({formatCount(attempts)} failed attempts)</span>
        </li>
      ))}
    </ul>
  );
}

function AffectedRuns({ issue }: { issue: ErrorIssueDetail }) {
  const { at } = usePlace();
  const q = `status:failed,timed_out${issue.job_slug ? ` job:${issue.job_slug}` : ""}`;
  return (
    <Section title="Newest affected runs">
      {issue.sample_run_ids.length === 0 ? (
        <p className="text-ink-2">
          No runs to show. Their retention period has passed, or you do not have access to them.
        </p>
      ) : (
        <ul className="flex flex-col gap-1">
          {issue.sample_run_ids.map((id) => (
            <li key={id}>
              <Link href={at(`runs/${id}`)} className="font-mono text-accent text-xs hover:underline">
                {id}
              </Link>
            </li>
          ))}
        </ul>
      )}
      <Link href={at("runs", { q })} className="text-accent hover:underline">
        All failed runs of the job
      </Link>
    </Section>
  );
}
