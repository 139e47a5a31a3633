import { Progress } from "../../parts/chart/progress.tsx";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Diff } from "../../parts/code/diff.tsx";
import { Json } from "../../parts/code/json.tsx";
import { Id } from "../../parts/id.tsx";
import { Badge } from "../../parts/state/badge.tsx";
import { Countdown } from "../../parts/state/countdown.tsx";
import { LiveDot } from "../../parts/state/live-dot.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { TagLine, TagList } from "../../parts/tag-list.tsx";
import { Duration, Time } from "../../parts/time.tsx";
import { VaryingText } from "../../parts/varying-text.tsx";
import { Shelf } from "./shelf.tsx";

const STATUSES = [
  "completed",
  "running",
  "waiting",
  "sleeping",
  "paused",
  "pending",
  "delayed",
  "skipped",
  "canceled",
  "retrying",
  "failed",
  "timed_out",
  "dead_lettered",
  "status_of_tomorrow",
];
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const VALUE = {
  user: { id: 42, name: "Ada <img src=x onerror=alert(1)>", tags: ["eu", "beta"] },
  total: 12.5,
  ok: true,
  note: null,
  empty: {},
  long: "x".repeat(420),
};

export function Values() {
  return (
    <>
      <Shelf name="StatusMark" column>
        <div className="flex flex-wrap gap-x-5 gap-y-2">
          {STATUSES.map((status) => (
            <StatusMark key={status} status={status} />
          ))}
        </div>
        <div className="flex flex-wrap gap-2">
          {STATUSES.map((status) => (
            <StatusMark key={status} status={status} as="badge" />
          ))}
        </div>
      </Shelf>
      <Shelf name="Badge">
        <Badge>neutral</Badge>
        <Badge tone="accent">v12</Badge>
        <Badge tone="good">+12%</Badge>
        <Badge tone="warn">expiring</Badge>
        <Badge tone="danger">breached</Badge>
        <TagList tags={{ region: "eu", urgent: "true", team: "payments" }} />
        <div className="w-32">
          <TagLine tags={{ region: "eu", team: "a-team-with-a-name-that-does-not-end" }} />
        </div>
        <span className="w-40">
          <Badge>a-tag-that-is-much-longer-than-there-is-room-for-it</Badge>
        </span>
      </Shelf>
      <Shelf name="Id, Time">
        <Id value="0198a7c2-1f3e-7b20-9f4b-5d1c2e3f4a5b" />
        <Time at={ago(42_000)} />
        <Time at={ago(-3 * 3_600_000)} />
        <Time at={null} />
        <Duration from={ago(252_000)} to={ago(0)} />
        <Duration from={ago(8_000)} to={null} />
        <Countdown until={Date.now() + 3_723_000} from={Date.now() - 1_000_000} />
        <Countdown until={Date.now() + 42_000} from={Date.now() - 300_000} />
      </Shelf>
      <Shelf name="Progress, LiveDot">
        <Progress label="Known" value={64} className="max-w-40" />
        <Progress label="Unknown" value={null} className="max-w-40" />
        <Progress
          label="Parts"
          value={90}
          parts={[
            { label: "Succeeded", value: 70, className: "bg-success" },
            { label: "Failed", value: 12, className: "bg-failed" },
            { label: "Skipped", value: 8, className: "bg-queued" },
          ]}
          className="max-w-40"
        />
        <LiveDot state="live" />
        <LiveDot state="paused" />
        <LiveDot state="connecting" />
        <LiveDot state="offline" />
      </Shelf>
      <Shelf name="Json, CodeBlock" column>
        <Json value={VALUE} onPick={() => {}} />
        <CodeBlock
          title="Trigger a job"
          code={
            'curl -s http://localhost:8080/v1/jobs/send-mail/trigger \\\n  -H "Authorization: Bearer $MILLRACE_API_KEY"'
          }
        />
      </Shelf>
      <Shelf name="VaryingText" column>
        <p>
          <VaryingText text="The endpoint responded with <n>: no plan <text> for <mail> since <time>" />
        </p>
      </Shelf>
      <Shelf name="Diff" column>
        <Diff
          before={{ a: 1, b: [1, 2], timeout_secs: 30 }}
          after={{ a: 1, b: [1, 2, 3], timeout_secs: 60 }}
          labels={["Version 3", "Version 4"]}
        />
      </Shelf>
    </>
  );
}
