import { CreateResourcePolicy, CreateTagPolicy } from "@millrace/contract/access/policies";
import { CreateRole } from "@millrace/contract/access/roles";
import { CreateAlertChannel } from "@millrace/contract/alerts/alert-channels";
import { CreateAlertRule } from "@millrace/contract/alerts/alert-rules";
import { SetProjectBudget } from "@millrace/contract/analytics/project-budget";
import { CreateLogDrain } from "@millrace/contract/deliveries/log-drains";
import { CreateWebhookSubscription } from "@millrace/contract/deliveries/webhook-subscriptions";
import { CreateEventSource, CreateEventSubscription } from "@millrace/contract/events/event-sources";
import { CreateOutboxSource } from "@millrace/contract/events/outbox-sources";
import { CreateJob } from "@millrace/contract/jobs/jobs";
import { CreateSchedule } from "@millrace/contract/jobs/schedules";
import { CreateEnvironment } from "@millrace/contract/projects/environments";
import { PutJobDependencies } from "@millrace/contract/runs/run-dependencies";
import { CreateQueue } from "@millrace/contract/workers/queues";
import { PutWorkflowPolicy } from "@millrace/contract/workflows/workflow-policies";
import { StepInput } from "@millrace/contract/workflows/workflow-steps";
import { CreateWorkflow } from "@millrace/contract/workflows/workflows";
import { type Body, KINDS, type Kind, REQUIRED } from "./kinds.ts";

type Schema = { properties: Body; description?: string };

/** The request that creates an object of each kind: its fields have the same schema here. */
const REQUESTS: Record<string, unknown> = {
  ...{ environment: CreateEnvironment, queue: CreateQueue, job: CreateJob, workflow: CreateWorkflow },
  ...{ schedule: CreateSchedule, event_source: CreateEventSource, event_subscription: CreateEventSubscription },
  ...{ webhook_subscription: CreateWebhookSubscription, log_drain: CreateLogDrain, outbox_source: CreateOutboxSource },
  ...{ role: CreateRole, resource_policy: CreateResourcePolicy, tag_policy: CreateTagPolicy },
  ...{ alert_channel: CreateAlertChannel, alert_rule: CreateAlertRule },
  ...{ workflow_policy: PutWorkflowPolicy, budget: SetProjectBudget },
};

const ENV_REF = {
  ...{ type: "object", properties: { env: { type: "string", minLength: 1 } }, required: ["env"] },
  ...{ additionalProperties: false, description: "Environment variable that holds the value when it is applied." },
};

/** JSON Schema of a configuration, for editors. */
export function configSchema(): Body {
  const sections = KINDS.filter(({ shape }) => shape !== "nested").map((kind) => [kind.section, sectionSchema(kind)]);
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Millrace configuration",
    ...{ type: "object", additionalProperties: false },
    properties: {
      $schema: { type: "string" },
      name: { type: "string", minLength: 1, maxLength: 100 },
      ...Object.fromEntries(sections),
    },
    definitions: { StepInput },
  };
  // Named schemas refer to each other by name, and editors read patterns without the `u` flag.
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === "$id" || (key === "pattern" && String(value).includes("\\u{"))) return undefined;
    return key === "$ref" ? `#/definitions/${String(value).replace(/#$/, "")}` : value;
  }) as Body;
}

function sectionSchema(kind: Kind): Body {
  const object = objectSchema(kind);
  if (kind.shape === "list") return { type: "array", items: object };
  return kind.shape === "map" ? { type: "object", additionalProperties: object } : object;
}

function objectSchema(kind: Kind): Body {
  const { properties, description } = REQUESTS[kind.kind] as Schema;
  const fields = Object.keys(kind.fields).filter((field) => field !== "source");
  const required = fields.filter((field) => kind.fields[field] === REQUIRED);
  const entries = fields.map((field) => [field, fieldSchema(kind, field, properties[field])]);
  const nested =
    kind.kind === "event_source" ? [["subscriptions", { type: "array", items: objectSchema(subscriptions()) }]] : [];
  return {
    ...{ type: "object", description, additionalProperties: false },
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries([...entries, ...nested]),
  };
}

function subscriptions(): Kind {
  return KINDS.find(({ shape }) => shape === "nested") as Kind;
}

function fieldSchema(kind: Kind, field: string, schema: unknown): unknown {
  const shape = kind.secrets?.[field];
  if (shape === "value") return ENV_REF;
  if (shape === "map") return { type: "object", additionalProperties: ENV_REF };
  if (field === "channel_ids") return { ...(schema as Body), items: { type: "string" } }; // names
  if (field === "dependencies") return (PutJobDependencies as unknown as Schema).properties.dependencies;
  if (shape !== "auth") return schema;
  const { properties } = schema as Schema;
  return { ...(schema as Body), properties: { ...properties, token: ENV_REF, password: ENV_REF, value: ENV_REF } };
}
