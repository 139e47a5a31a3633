import { freePort } from "./free-port.ts";
import { needProgram } from "./installed-postgres.ts";
import { startProgram } from "./program.ts";

/**
 * HAProxy in front of servers on these ports, which leads to the one that is the primary. It asks each of them by a
 * query of its own, whose user is trusted, and ends the connections to a server that is no longer the primary.
 */
export async function startHaproxy(ports: number[], user: string, database: string): Promise<number> {
  const own = await freePort();
  const servers = ports.map((port) => `  server at_${port} 127.0.0.1:${port} check`);
  const config = `
global
  maxconn 1000
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 1s
listen postgres
  bind 127.0.0.1:${own}
  option tcp-check
  tcp-check connect
  tcp-check send-binary ${startup(user, database)}
  tcp-check send-binary ${simpleQuery(WHO)}
  tcp-check expect string the-primary
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join("\n")}
`;
  await startProgram(needProgram("haproxy"), ["-db", "-f"], config, own);
  return own;
}

const WHO = "select case when pg_is_in_recovery() then 'a-standby' else 'the-primary' end";

/** Version 3.0 of the protocol. */
function startup(user: string, database: string): string {
  const parameters = Buffer.from(`user\0${user}\0database\0${database}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(parameters.length + 8, 0);
  head.writeInt32BE(196_608, 4);
  return Buffer.concat([head, parameters]).toString("hex");
}

function simpleQuery(text: string): string {
  const body = Buffer.from(`${text}\0`);
  const head = Buffer.alloc(5);
  head.write("Q");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]).toString("hex");
}
