import pg from "pg";
import { isConnectionLoss } from "./database-errors.ts";
import { type DatabaseUrl, type Host, parseDatabaseUrl } from "./database-url.ts";

/** What a client needs to connect. `Client` tries the hosts in turn, if there are several. */
export type DatabaseConnection = pg.PoolConfig & {
  hosts?: readonly Host[];
  /** The schema of Millrace's tables, if it is not the default one of the database's user. */
  schema?: string | undefined;
};

/** The connection that a valid DATABASE_URL describes. */
export function connectionOf(text: string, schema?: string): DatabaseConnection {
  const parsed = parseDatabaseUrl(text);
  if (!parsed.ok) throw new Error(`the address ${parsed.mistake}`);
  const { url } = parsed;
  const several = url.hosts.length > 1 || url.mustWrite;
  return { ...url.config, ...url.hosts[0], hosts: url.hosts, schema, ...(several && { Client: clientOf(url) }) };
}

/** In the startup message: unlike `set`, it also holds for migrations, backups and the connection that listens. */
export function inSchema(connection: DatabaseConnection): DatabaseConnection {
  const { options, schema } = connection;
  if (schema === undefined) return connection;
  return { ...connection, options: [options, `-c search_path=${schema}`].filter(Boolean).join(" ") };
}

/** A connected client, of the first host that accepts it. */
export async function connectClient(connection: DatabaseConnection): Promise<pg.Client> {
  for (let left = connection.hosts?.length ?? 1; ; left--) {
    const client = newClient(connection);
    // Without a listener, losing the connection would end the process. The current statement fails by itself.
    client.on("error", () => {});
    try {
      return await client.connect();
    } catch (error) {
      if (left <= 1 || !isConnectionLoss(error)) throw error;
    }
  }
}

export function newClient(connection: DatabaseConnection): pg.Client {
  const Client = (connection.Client ?? pg.Client) as typeof pg.Client;
  return new Client(connection);
}

/**
 * The class of clients that connect to the current one of several hosts. A failure makes the next host current for all
 * clients, so that retries find the primary after a failover.
 */
function clientOf(url: DatabaseUrl): new () => pg.Client {
  let current = 0;
  return class extends pg.Client {
    readonly #nth = current;

    constructor(config?: pg.ClientConfig) {
      super({ ...config, ...url.hosts[current % url.hosts.length] });
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error | null) => void): void;
    override connect(callback?: (error: Error | null) => void): unknown {
      const connected = this.#connect();
      if (!callback) return connected;
      connected.then(() => callback(null), callback);
      return undefined;
    }

    async #connect(): Promise<pg.Client> {
      try {
        await super.connect();
        if (url.mustWrite) await refuseStandby(this);
        return this;
      } catch (error) {
        if (current === this.#nth) current++;
        throw error;
      }
    }
  };
}

async function refuseStandby(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ is_read_only: boolean }>(
    "select current_setting('transaction_read_only') = 'on' as is_read_only",
  );
  if (!rows[0]?.is_read_only) return;
  await client.end();
  // The code of a server that rejects a connection: others are tried.
  throw Object.assign(new Error("no host of the address accepts writes"), { code: "08004" });
}

export type Place = { address: string; user: string; database: string };

/** As the driver reads it, with its defaults; for messages, without the password. */
export function placeOf(connection: DatabaseConnection): Place {
  const { host, port, user, database } = new pg.Client(connection);
  const hosts = connection.hosts ?? [{ host, port }];
  return { address: hosts.map(addressOf).join(", "), user: user ?? "", database: database ?? "" };
}

function addressOf({ host, port }: Host): string {
  return host.startsWith("/") ? `the socket in ${host}` : `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
