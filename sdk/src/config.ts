import type {
  CreateAlertChannel,
  CreateAlertRule,
  CreateEnvironment,
  CreateEventSource,
  CreateEventSubscription,
  CreateJob,
  CreateLogDrain,
  CreateOutboxSource,
  CreateQueue,
  CreateResourcePolicy,
  CreateRole,
  CreateSchedule,
  CreateTagPolicy,
  CreateWebhookSubscription,
  CreateWorkflow,
  DrainAuth,
  PutJobDependencies,
  PutWorkflowPolicy,
  SetProjectBudget,
} from "./generated/schemas.ts";

/**
 * A value that is read from an environment variable of the process that applies the configuration.
 *
 * @example
 * const secret: EnvRef = { env: "STRIPE_SIGNING_SECRET" };
 */
export type EnvRef = { env: string };

type Named<T extends { name: string }> = Omit<T, "project_id" | "slug" | "name"> & { name?: string };
type Keyed<T> = Omit<T, "project_id" | "name" | "paused">;
type SecretHeaders = { headers?: Record<string, EnvRef> };
type Credentials = "token" | "password" | "value";

/**
 * The objects of a project as code, with the fields of the API. Maps are keyed by slug, or by name where an object has no
 * slug. References are slugs; secrets are references to environment variables.
 *
 * @example
 * const config: ProjectConfiguration = {
 *   queues: { mail: { max_concurrency: 10 } },
 *   jobs: { "send-mail": { endpoint_url: "https://app.example.com/millrace", queue: "mail" } },
 * };
 */
export type ProjectConfiguration = {
  /** Several configurations can manage one project under different names. Default: `default`. */
  name?: string;
  environments?: Record<string, Omit<Named<CreateEnvironment>, "variables"> & { variables?: Record<string, EnvRef> }>;
  queues?: Record<string, Keyed<CreateQueue>>;
  jobs?: Record<string, Omit<Named<CreateJob>, "headers"> & SecretHeaders & Partial<PutJobDependencies>>;
  workflows?: Record<string, Named<CreateWorkflow>>;
  schedules?: Record<string, Keyed<CreateSchedule>>;
  event_sources?: Record<
    string,
    Omit<Named<CreateEventSource>, "secret"> & {
      secret?: EnvRef;
      subscriptions?: Omit<CreateEventSubscription, "project_id">[];
    }
  >;
  webhook_subscriptions?: (Omit<CreateWebhookSubscription, "project_id" | "headers"> & SecretHeaders)[];
  log_drains?: Record<
    string,
    Omit<Keyed<CreateLogDrain>, "auth"> & { auth?: Omit<DrainAuth, Credentials> & { [K in Credentials]?: EnvRef } }
  >;
  outbox_sources?: Record<string, Omit<Keyed<CreateOutboxSource>, "database_url"> & { database_url: EnvRef }>;
  alert_channels?: Record<string, Omit<Keyed<CreateAlertChannel>, "url" | "key"> & { url?: EnvRef; key?: EnvRef }>;
  alert_rules?: Record<string, Keyed<CreateAlertRule>>;
  roles?: Record<string, Keyed<CreateRole>>;
  resource_policies?: Omit<CreateResourcePolicy, "project_id">[];
  tag_policies?: Omit<CreateTagPolicy, "project_id">[];
  workflow_policy?: PutWorkflowPolicy;
  budget?: SetProjectBudget;
};

/**
 * Types the default export of `millrace.config.ts`, which `millrace plan` and `millrace apply` read.
 *
 * @example
 * export default defineConfig({
 *   environments: { production: { variables: { STRIPE_KEY: fromEnv("STRIPE_KEY") } } },
 *   jobs: { "send-mail": { endpoint_url: "https://app.example.com/millrace" } },
 * });
 */
export function defineConfig(config: ProjectConfiguration): ProjectConfiguration {
  return config;
}

/**
 * Refers to an environment variable, which is read when the configuration is applied. It never becomes part of the
 * configuration.
 *
 * @example
 * const variables = { STRIPE_KEY: fromEnv("STRIPE_KEY") };
 */
export function fromEnv(name: string): EnvRef {
  return { env: name };
}
