import { Client } from "pg";
import { DATABASE_NAME, DATABASE_USER, type ServerSettings } from "./server-settings.ts";

/** The connection settings of a client. `host` is the directory of the socket (Windows: the loopback address). */
export interface Connection {
  host: string;
  port: number;
  user: string;
  database: string;
  password?: string;
}

/** Where the server listens, and the server settings for it. */
export interface Endpoint {
  host: string;
  port: number;
  password?: string;
  passwordFile?: string;
  settings: ServerSettings;
}

export function connectionTo(endpoint: Pick<Endpoint, "host" | "port" | "password">): Connection {
  const { host, port, password } = endpoint;
  return { host, port, user: DATABASE_USER, database: DATABASE_NAME, ...(password ? { password } : {}) };
}

/** The same as a URL that both libpq and pg accept. */
export function urlOf({ host, port, user, database, password }: Connection): string {
  const login = password ? `${user}:${password}` : user;
  return `postgresql://${login}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}

export async function withClient<T>(connection: Connection, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ ...connection, ssl: false, connectionTimeoutMillis: 5_000 });
  // Without an error listener, a connection lost while idle would end the process.
  client.on("error", () => {});
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end();
  }
}
