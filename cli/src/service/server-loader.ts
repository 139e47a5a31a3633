/** The service, started in the process of the command. */
export type StartedService = {
  mode: "dev" | "serve";
  url: string;
  apiKey: string | undefined;
  /** Signing secret of the API key's project. */
  readSigningSecret: () => Promise<string | undefined>;
  /** Works only once; only set in development. */
  signInUrl?: string;
};

export type DatabaseReport = {
  /** Location of the database, for display. */
  name: string;
  /** How far the database clock is ahead of ours. */
  clock_ahead_ms: number;
  version: string;
  applied: string[];
  pending: string[];
};

export type DatabaseResult =
  | ({ ok: true } & DatabaseReport)
  | { ok: false; reason: string; remedy: string; is_settings: boolean };

/** Called before each table of a backup. */
type OnTable = (done: number, total: number) => void;

type DatabaseTool = {
  /** Random, in the formats of the service. */
  newFirstSecrets: () => { api_key: string; signing_secret: string };
  /** Read-only. */
  inspectDatabase: (settings: DatabaseSettings) => Promise<DatabaseResult>;
  /** Applies pending migrations and returns them. */
  migrateDatabase: (settings: DatabaseSettings) => Promise<DatabaseResult & { ran: string[] }>;
  backUp: (
    settings: DatabaseSettings,
    path: string,
    onTable: OnTable,
  ) => Promise<DatabaseResult & { rows: Record<string, number> }>;
  /** The database must have no projects. */
  restore: (
    settings: DatabaseSettings,
    path: string,
    onTable: OnTable,
  ) => Promise<DatabaseResult & { rows: Record<string, number> }>;
  /** Rejects with the reason if the file is not a complete backup. */
  verifyBackup: (
    path: string,
    onTable: OnTable,
  ) => Promise<{ header: { created_at: string; schema: string[] }; rows: Record<string, number> }>;
  /** Runs statements in any PostgreSQL. */
  runSql: (
    url: string,
    statements: string,
  ) => Promise<{ ok: true } | { ok: false; reason: string; code: string | undefined }>;
};

export type DatabaseSettings = { mode: "dev" | "serve"; env: Record<string, string | undefined>; cwd: string };

/** The only access to server code. Commands that do not need it never load it. */
export type ServerLoader = {
  /** Starts the service in this process. Invalid settings end the process. */
  start: (mode: "dev" | "serve") => Promise<StartedService>;
  databaseTool: () => Promise<DatabaseTool>;
};
