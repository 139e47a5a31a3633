/** What the service hands to the command that has started it in its own process. */
export type StartedService = {
  mode: "dev" | "serve";
  url: string;
  apiKey: string | undefined;
  /** What the outgoing requests of the key's project are signed with. */
  readSigningSecret: () => Promise<string | undefined>;
  /** Works once. In development only. */
  signInUrl?: string;
};

export type DatabaseReport = {
  /** Where it is, for people. */
  name: string;
  /** Milliseconds that the database's clock is ahead of ours. */
  clock_ahead_ms: number;
  version: string;
  applied: string[];
  missing: string[];
};

export type DatabaseAnswer =
  | ({ ok: true } & DatabaseReport)
  | { ok: false; reason: string; remedy: string; is_settings: boolean };

type DatabaseTool = {
  /** Looks, and changes nothing. */
  lookAtDatabase: (settings: DatabaseSettings) => Promise<DatabaseAnswer>;
  /** Brings the schema up to date. Answers what was done. */
  migrateDatabase: (settings: DatabaseSettings) => Promise<DatabaseAnswer & { ran: string[] }>;
};

export type DatabaseSettings = { mode: "dev" | "serve"; env: Record<string, string | undefined>; cwd: string };

/** The only way to the server's code: loaded by the few commands that need it, and by no other. */
export type ServerDoor = {
  /** Becomes the service. It reads its settings from the environment and ends the process when they are wrong. */
  start: (mode: "dev" | "serve") => Promise<StartedService>;
  databaseTool: () => Promise<DatabaseTool>;
};
