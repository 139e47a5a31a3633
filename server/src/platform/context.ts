import type { Scope, ScopeList } from "@millrace/contract/access/scopes";
import type { KeyCache } from "./access/credentials/key-cache.ts";

import type { DatabaseWatch } from "./database/database-watch.ts";
import type { Db } from "./database/db.ts";
import type { Log } from "./logging/log.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { Outgoing } from "./outgoing/guarded-agent.ts";
import type { Encryption } from "./secrets/encryption.ts";
import type { ServiceState } from "./service-state.ts";
import type { Config } from "./settings/config.ts";
import type { TraceContext } from "./trace-context.ts";
import type { Wakeup } from "./wakeups/wakeup.ts";

/** The context passed to every module. `db` is a transaction inside `inTransaction`. */
export type Ctx = {
  config: Config;
  db: Db;
  log: Log;
  metrics: Metrics;
  encryption: Encryption;
  wakeup: Wakeup;
  outgoing: Outgoing;
  keyCache: KeyCache;
  watch: DatabaseWatch;
  state: ServiceState;
  instance_id: string;
  /** Only in a transaction. `afterCommit` of `database/after-commit.ts` uses it where a caller may have none. */
  afterCommit?: InTransaction["afterCommit"];
};

/**
 * What `inTransaction` adds to the context: for code that must run in the transaction of the change it belongs to.
 * Nothing outside the database may change before the commit, so what notifies, counts or invalidates is not available:
 * a function that changes something registers with `afterCommit` what follows.
 */
export type InTransaction = {
  in_transaction: true;
  /**
   * Runs `fn` after the commit with the context of the caller of `inTransaction`, in the order of the calls. Not at all
   * if the transaction is rolled back; a retry starts with an empty list.
   */
  afterCommit: (fn: (ctx: Ctx) => void) => void;
  /** Runs `fn` if this attempt is not committed: it releases what was reserved in memory for it. */
  afterRollback: (fn: (ctx: Ctx) => void) => void;
  /**
   * Sends the commit right behind the statements sent so far, which must be the last: locks are held neither until this
   * process has read their results nor until the commit is on disk. The rest of the work must not fail.
   */
  commitNow: () => void;
  wakeup: never;
  metrics: never;
  keyCache: never;
};

export type Caller =
  | { kind: "internal_secret"; name: string; scopes: null }
  | {
      kind: "api_key";
      key_id: string;
      name: string;
      project_id: string;
      environment_id: string | null;
      org_id: string | null;
      scopes: ScopeList;
      /** The queues whose runs it may work on. Absent or null: all. */
      queues?: readonly string[] | null;
      /** The environments whose runs it may work on, if it is not bound to one. Absent or null: all. */
      worker_environment_ids?: readonly string[] | null;
      /** Only for a scoped token that the key made. */
      limits?: TokenLimits;
    }
  /**
   * A person with an OIDC token or a session. In a project their role there applies; before the project is known, and
   * elsewhere, they have no permissions.
   */
  | {
      kind: "member";
      subject: string;
      name: string;
      /** From the token, as far as the issuer has verified it. */
      email: string | null;
      project_id: string | null;
      member_id: string | null;
      role_ids: readonly string[];
      org_id: null;
      scopes: readonly string[];
      /** Only for a personal key: it works in its project, with the scopes of the role that it was given. */
      key?: { id: string; project_id: string; scopes: ScopeList };
    };

/** Client data of a request, for the audit log, and the base URL it used, for links in responses. */
export type RequestOrigin = {
  request_id: string;
  ip: string;
  user_agent: string | null;
  base_url: string;
  /** The request came over TLS or from this machine: nobody in between can read the response. */
  is_private?: boolean;
  /** The trace context that the request came with. */
  trace_context?: TraceContext | null;
};

/** The dashboard session of a request, if it came with a cookie. */
export type SessionOfRequest = {
  id: string;
  expires_at: string;
  /** The identity provider of a person. Absent or null: a local account, or no person. */
  provider?: string | null;
};

export type CallerCtx = Ctx & { caller: Caller; origin: RequestOrigin; session: SessionOfRequest | null };

/** Every tenant query carries `project_id`. */
export type ProjectCtx = CallerCtx & {
  project_id: string;
  /** Policies that apply to this request; absent when there is no caller. */
  access?: Access;
};

/** A running job that calls back: the run and attempt of its token. The fence checks whether they are current. */
export type RunCtx = Ctx & RunClaims & { origin: RequestOrigin };

/** Claims of a verified token. `ltk` is a digest of the lease token, which never leaves the service. */
export type RunClaims = { run_id: string; project_id: string; attempt: number; ltk: string };

/** The limits of a scoped token: these objects, or everything with these tags. */
export type TokenLimits = {
  run_ids: readonly string[];
  workflow_run_ids: readonly string[];
  tags: Record<string, string> | null;
};

export type AccessPolicy = {
  id: string;
  effect: "allow" | "deny";
  actions: readonly string[];
  subject: string;
  resource_type: string | null;
  resource_id: string | null;
  tag_key: string | null;
  tag_value: string | null;
};

/** The policies that apply to one request: those of the project for its caller and for the action its route names. */
export type Access = {
  action: Scope;
  isHeld: boolean;
  policies: readonly AccessPolicy[];
  /** Denies of another action that restrict this one too. */
  also?: Access;
};
