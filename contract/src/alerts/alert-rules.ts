import Type, { type Static } from "typebox";
import {
  ActorId,
  EnvironmentRef,
  Id,
  JobRef,
  Name,
  ProjectIdQuery,
  paging,
  TagFilter,
  Timestamp,
} from "../schema/fields.ts";
import { bodyObject, listOf, moving, nullable, oneOf, responseObject } from "../schema/schema.ts";
import { ALERT_KINDS } from "./alert-kinds.ts";

export const ALERT_STATES = ["ok", "pending", "firing"] as const;
export const MAX_ALERT_RULES = 1_000;
export const MAX_CHANNELS_PER_RULE = 10;

const WEEK_SECS = 604_800;
const MONTH_SECS = 2_592_000;

const Kind = oneOf(
  ALERT_KINDS,
  "What is measured. `failure_rate`: share of ended runs that failed or timed out. `no_success`: nothing completed within the window. `oldest_queued`: seconds that the oldest due run has waited. `queue_depth`: due runs that wait. `dead_letters`: runs in the dead-letter queue. `budget`: percent of the monthly budget that is spent. `endpoint_down`: endpoints whose circuit is open. `schedule_missed`: schedules whose time passed without a run. `slo_burn_rate`: how many times faster than allowed the error budget of `objective` is spent. `new_errors`: error issues that are new or reopened.",
);
const Threshold = Type.Number({
  minimum: 0,
  maximum: 1_000_000_000,
  description:
    "The rule fires above this value; `budget` at this value. `failure_rate`: from 0 to 1. `schedule_missed`: seconds of delay. Ignored by `no_success`. The default depends on the kind.",
});
const WindowSecs = Type.Integer({
  minimum: 60,
  maximum: WEEK_SECS,
  description: "The period that is measured, in seconds. Longer than six hours it is measured in whole hours.",
});
const MinRuns = Type.Integer({
  minimum: 1,
  maximum: 1_000_000,
  description: "`failure_rate`, `slo_burn_rate`: with fewer ended runs in the window the rule does not fire.",
});
const Objective = Type.Number({
  minimum: 0,
  exclusiveMaximum: 1,
  description: "`slo_burn_rate`: the share of runs that should succeed, such as 0.999.",
});
const ForSecs = Type.Integer({
  minimum: 0,
  maximum: 86_400,
  description: "The condition must hold for this long before the rule fires.",
});
const ResolveAfterSecs = Type.Integer({
  minimum: 0,
  maximum: 86_400,
  description: "The condition must be false for this long before the alert is resolved.",
});
const RepeatEverySecs = Type.Integer({
  minimum: 60,
  maximum: WEEK_SECS,
  description: "While it fires, channels are notified again after this time. Null: once.",
});
const ChannelIds = Type.Array(Id, {
  maxItems: MAX_CHANNELS_PER_RULE,
  uniqueItems: true,
  description: "The alert channels to notify. Webhook subscriptions to `alert.*` are notified as well.",
});
const Runbook = Type.String({ maxLength: 2_000, description: "What to do. Included in every notification." });
const Enabled = Type.Boolean({ description: "False: the rule is not evaluated, and its alert is resolved." });
const QueueName = Type.String({ minLength: 1, maxLength: 100 });
const Tag = { ...TagFilter, description: "Jobs with this tag: `key` or `key:value`." };

export const AlertRule = responseObject(
  "AlertRule",
  {
    id: Id,
    project_id: Id,
    name: Type.String(),
    kind: Kind,
    environment_id: nullable({ ...Id, description: "Null: all environments." }),
    job_id: nullable(Id),
    workflow_id: nullable(Id),
    queue: nullable(Type.String()),
    tag: nullable(Type.String()),
    threshold: Threshold,
    window_secs: WindowSecs,
    min_runs: MinRuns,
    objective: nullable(Objective),
    for_secs: ForSecs,
    resolve_after_secs: ResolveAfterSecs,
    repeat_every_secs: nullable(RepeatEverySecs),
    channel_ids: ChannelIds,
    runbook: nullable(Runbook),
    enabled: Enabled,
    silenced_until: moving(nullable({ ...Timestamp, description: "Until then, channels are not notified." })),
    state: moving(oneOf(ALERT_STATES, "`pending`: the condition holds, but not for `for_secs` yet.")),
    state_since: moving(Timestamp),
    value: moving(nullable(Type.Number({ description: "The measured value when the state last changed." }))),
    alert_id: moving(nullable({ ...Id, description: "The alert that fires." })),
    created_by: Type.String(),
    created_by_id: ActorId,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "A condition over a project, environment, job, workflow, queue or tag. It is evaluated every 45 seconds.",
);
export type AlertRule = Static<typeof AlertRule>;
export const AlertRuleList = listOf("AlertRuleList", AlertRule);

const settings = {
  environment_id: Type.Optional(
    nullable({ ...EnvironmentRef, description: "Environment id or slug. Null: all environments." }),
  ),
  job_id: Type.Optional(nullable(JobRef)),
  workflow_id: Type.Optional(nullable({ ...JobRef, description: "Workflow id or slug." })),
  queue: Type.Optional(nullable(QueueName)),
  tag: Type.Optional(nullable(Tag)),
  threshold: Type.Optional(Threshold),
  window_secs: Type.Optional(WindowSecs),
  min_runs: Type.Optional(MinRuns),
  objective: Type.Optional(nullable(Objective)),
  for_secs: Type.Optional(ForSecs),
  resolve_after_secs: Type.Optional(ResolveAfterSecs),
  repeat_every_secs: Type.Optional(nullable(RepeatEverySecs)),
  channel_ids: Type.Optional(ChannelIds),
  runbook: Type.Optional(nullable(Runbook)),
  enabled: Type.Optional(Enabled),
};

export const CreateAlertRule = bodyObject(
  "CreateAlertRule",
  { project_id: Type.Optional(ProjectIdQuery), name: Name, kind: Kind, ...settings },
  "Creates a rule for the whole project, or for one of `job_id`, `workflow_id`, `queue` and `tag`.",
);
export type CreateAlertRule = Static<typeof CreateAlertRule>;

export const UpdateAlertRule = bodyObject(
  "UpdateAlertRule",
  { name: Type.Optional(Name), ...settings },
  "The fields to change. The kind stays.",
);
export type UpdateAlertRule = Static<typeof UpdateAlertRule>;

export const SilenceAlertRule = bodyObject(
  "SilenceAlertRule",
  {
    duration_secs: Type.Integer({ minimum: 0, maximum: MONTH_SECS, description: "From now. 0 ends the silence." }),
  },
  "Channels are not notified for this long. An alert that still fires afterwards is sent then.",
);
export type SilenceAlertRule = Static<typeof SilenceAlertRule>;

export const AlertRuleTest = responseObject(
  "AlertRuleTest",
  {
    value: nullable(Type.Number({ description: "The value measured now. Null: there is nothing to measure." })),
    would_fire: Type.Boolean({ description: "Whether the condition holds now." }),
    delivery_ids: Type.Array(Id, { description: "The test notifications: see webhook deliveries for their outcome." }),
  },
  "The rule evaluated now. Each of its channels receives a test notification.",
);
export type AlertRuleTest = Static<typeof AlertRuleTest>;

const PreviewedAlert = Type.Object({
  fired_at: Timestamp,
  resolved_at: nullable({ ...Timestamp, description: "Null: it would still fire." }),
  value: nullable(Type.Number({ description: "The value with which it would have fired." })),
});

export const AlertRulePreview = responseObject(
  "AlertRulePreview",
  {
    value: nullable(Type.Number({ description: "The value measured now. Null: there is nothing to measure." })),
    would_fire: Type.Boolean({ description: "Whether the condition holds now." }),
    has_history: Type.Boolean({
      description: "False: no past values of this kind are stored, so `alerts` and `points` are empty.",
    }),
    from: { ...Timestamp, description: "A week ago, or less for a new project or a rule over many jobs." },
    until: Timestamp,
    alert_count: Type.Integer(),
    notification_count: Type.Integer({
      description: "Notifications that each channel would have received, resolutions included.",
    }),
    alerts: Type.Array(PreviewedAlert, { maxItems: 100, description: "The last hundred alerts, oldest first." }),
    points: Type.Array(
      Type.Object({
        starts_at: Timestamp,
        value: nullable(Type.Number({ description: "The value closest to firing in this hour." })),
      }),
      { maxItems: 169, description: "The measured values by hour, oldest first." },
    ),
  },
  "When a rule with these settings would have fired. Nothing is saved or sent.",
);
export type AlertRulePreview = Static<typeof AlertRulePreview>;

export const ListAlertRulesQuery = Type.Object(
  { ...paging, state: Type.Optional(oneOf(ALERT_STATES)), kind: Type.Optional(oneOf(ALERT_KINDS)) },
  { additionalProperties: false },
);
export type ListAlertRulesQuery = Static<typeof ListAlertRulesQuery>;
