import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../test/outside/job-endpoint.ts";
import { AUDIENCE, type OidcIssuer, oidcIssuer } from "../../../test/outside/oidc-issuer.ts";
import { runSql } from "../../../test/world/database.ts";
import { dyingInstance } from "../../../test/world/dying-instance.ts";
import { whenFileEnds } from "../../../test/world/end-of-file.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { sendUsageEmails } from "./send-usage-emails.ts";
import { planUsageEmails } from "./tasks.ts";

type Received = { to: string[]; from: string; raw: string };
type Sink = {
  url: string;
  received: Received[];
  refuse: (error: Error | undefined) => void;
  /** Runs before the server accepts the message. */
  whenReceived: (then: () => void) => void;
};

/** A real SMTP server that keeps the messages it receives. */
async function smtpSink(): Promise<Sink> {
  const received: Received[] = [];
  let rejection: Error | undefined;
  let then = () => {};
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo: (_address, _session, done) => done(rejection),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          to: rcptTo.map(({ address }) => address),
          from: mailFrom ? mailFrom.address : "",
          raw: Buffer.concat(chunks).toString("utf8"),
        });
        then();
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  whenFileEnds(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    refuse: (error) => {
      rejection = error;
    },
    whenReceived: (next) => {
      then = next;
    },
  };
}

const PATH = "/v1/usage/email-preferences";
let sink: Sink;
let issuer: OidcIssuer;
let world: World;
beforeAll(async () => {
  [sink, issuer] = [await smtpSink(), await oidcIssuer()];
  // The outgoing address guard rejects loopback, but the operator's own mail server is not subject to it.
  world = await makeWorld({
    config: {
      mail: { from: "usage@millrace.example", smtp_url: sink.url },
      oidc: { issuer: issuer.issuer, audience: AUDIENCE },
      private_endpoints: "refuse",
    },
  });
  await untilUp([world]);
});

beforeEach(async () => {
  sink.received.length = 0;
  sink.refuse(undefined);
  await runSql(world.connection, "delete from usage_email_preferences");
  await runSql(world.connection, "delete from usage_emails");
  await world.clock.set("2037-04-20T00:00:00Z");
});

async function subscriber(email: string, fields: object = {}): Promise<TestProject> {
  const project = await world.project({ name: "Ledger", ...fields });
  expect((await project.api.put(PATH, { monthly_usage_email: true, email })).text).toBe("{}");
  return project;
}

async function planAndSend(): Promise<void> {
  while (await world.tick("plan-usage-emails"));
  while (await world.tick("send-usage-emails"));
}

const readEmails = () =>
  runSql<{ status: string; tries: number; error: string | null }>(
    world.connection,
    "select status, tries, error from usage_emails",
  );

describe("the monthly usage e-mail", () => {
  it("N12 is sent over SMTP after the month has ended, with the project's usage", async () => {
    const project = await subscriber("ada@example.com");
    await runSql(
      world.connection,
      `insert into usage_periods (project_id, period_starts_at, completed, failed, dispatches, compute_ms, compute_microusd,
         reported_microusd, input_tokens, updated_at)
       values ($1, '2037-04-01', 40, 2, 44, 90500, 1810, 12000000, 77, clock())`,
      [project.id],
    );
    await planAndSend();
    expect(sink.received).toEqual([]);
    await world.clock.set("2037-05-01T00:30:00Z");
    await planAndSend();
    expect(sink.received).toEqual([]);
    await world.clock.set("2037-05-01T01:00:00Z");
    await planAndSend();
    expect(sink.received.map(({ to, from }) => [to, from])).toEqual([[["ada@example.com"], "usage@millrace.example"]]);
    const raw = sink.received[0]?.raw ?? "";
    for (const part of [
      "Subject: Usage of Ledger in April 2037",
      "Runs             42",
      "Total cost       $12.00181",
    ]) {
      expect(raw).toContain(part);
    }
  });

  it("is off by default, and not sent for a month in which it was off", async () => {
    await world.project();
    await world.clock.set("2037-05-02T00:00:00Z");
    const late = await subscriber("late@example.com");
    const gone = await subscriber("gone@example.com");
    await gone.api.put(PATH, { monthly_usage_email: false });
    await planAndSend();
    expect(sink.received).toEqual([]);
    await world.clock.set("2037-06-02T00:00:00Z");
    await planAndSend();
    expect(sink.received.map(({ to }) => to)).toEqual([["late@example.com"]]);
    expect(late.id).not.toBe(gone.id);
  });

  it("is sent once for each period and address, across instances and passes", async () => {
    const project = await subscriber("ada@example.com");
    const second = await project.newKey();
    await second.api.put(PATH, { monthly_usage_email: true, email: "ada@example.com" });
    const other = await world.anotherInstance();
    await world.clock.set("2037-05-03T00:00:00Z");
    await world.tick("plan-usage-emails");
    await world.tick("plan-usage-emails");
    await Promise.all([world, other, world, other].map(({ ctx }) => sendUsageEmails(ctx)));
    await planAndSend();
    expect(sink.received).toHaveLength(1);
    await world.clock.set("2037-06-03T00:00:00Z");
    await planAndSend();
    expect(sink.received).toHaveLength(2);
  });

  it("is retried with the same Message-ID if the server cannot accept it", async () => {
    await subscriber("ada@example.com");
    await world.clock.set("2037-05-03T00:00:00Z");
    sink.refuse(Object.assign(new Error("come back later"), { responseCode: 451 }));
    await planAndSend();
    await planAndSend();
    expect(await readEmails()).toMatchObject([{ status: "pending", tries: 1 }]);
    sink.refuse(undefined);
    await world.clock.pass("61s");
    await planAndSend();
    expect(await readEmails()).toMatchObject([{ status: "sent", tries: 2, error: null }]);
    const ids = sink.received.map(({ raw }) => /^Message-ID: (.*)$/im.exec(raw)?.[1]);
    expect(ids).toEqual([expect.stringMatching(/^<[0-9a-f-]{36}@millrace>\r?$/)]);
  });

  it("fails permanently if the server rejects the address, and after eight tries", async () => {
    await subscriber("nobody@example.com");
    await world.clock.set("2037-05-03T00:00:00Z");
    sink.refuse(Object.assign(new Error("no such user"), { responseCode: 550 }));
    await planAndSend();
    expect(await readEmails()).toMatchObject([{ status: "failed", tries: 1, error: "The mail server answered 550." }]);
    await runSql(world.connection, "update usage_emails set status = 'pending', tries = 7, next_try_at = clock()");
    sink.refuse(Object.assign(new Error("later"), { responseCode: 451 }));
    await planAndSend();
    expect(await readEmails()).toMatchObject([{ status: "failed", tries: 8 }]);
  });

  it("is sent by another instance after a crash during sending", async () => {
    await subscriber("ada@example.com");
    await world.clock.set("2037-05-03T00:00:00Z");
    await world.tick("plan-usage-emails");
    // The state after a crash: leased, neither sent nor released.
    await runSql(world.connection, "update usage_emails set tries = 1, next_try_at = clock() + interval '5 minutes'");
    await planAndSend();
    expect(sink.received).toHaveLength(0);
    await world.clock.pass("5m");
    await planAndSend();
    expect(sink.received).toHaveLength(1);
  });

  it("is not lost, and keeps its Message-ID, if the instance is killed between the server's response and its own update", async () => {
    await subscriber("ada@example.com");
    await world.clock.set("2037-05-03T00:00:00Z");
    const planning = dyingInstance(world.ctx);
    await planUsageEmails(planning.ctx);
    planning.die();
    const sending = dyingInstance(world.ctx);
    sink.whenReceived(sending.die);
    await expect(sendUsageEmails(sending.ctx)).rejects.toThrow("Connection terminated");
    sink.whenReceived(() => {});
    expect(await readEmails()).toMatchObject([{ status: "pending", tries: 1 }]);
    // The lease's holder may still be alive, so no other instance sends it until the lease expires.
    await planAndSend();
    expect(sink.received).toHaveLength(1);
    await world.clock.pass("5m");
    await planAndSend();
    await world.clock.pass("1h");
    await planAndSend();
    expect(await readEmails()).toMatchObject([{ status: "sent", tries: 2 }]);
    // The recipient gets the same message: one Message-ID, one text.
    const sent = sink.received.map(({ to, raw }) => [
      to,
      /^Message-ID: (.*)$/im.exec(raw)?.[1],
      raw.split("\r\n\r\n")[1],
    ]);
    expect(sent).toHaveLength(2);
    expect(sent[1]).toEqual(sent[0]);
  });

  /** Token expiry is checked against the service's clock. */
  async function memberOf({ id, api }: TestProject, claims: { sub: string; email: string; email_verified?: boolean }) {
    const joined = await api.post("/v1/members", { subject: claims.sub, name: "Somebody", role_id: "admin" });
    const now = Math.floor(Date.parse("2037-04-20T00:00:00Z") / 1_000);
    const token = await issuer.sign({ ...claims, iat: now, exp: now + 3_600 });
    const path = `${PATH}?project_id=${id}`;
    expect((await world.as(token).put(path, { monthly_usage_email: true })).text).toBe("{}");
    return { member_id: joined.body.id, email: (await world.as(token).get(path)).body.email };
  }

  it("is sent to a member at the token's address, whatever the member's name in the project", async () => {
    const project = await world.project();
    const { email } = await memberOf(project, { sub: "u-1", email: "grace@example.com" });
    const unproven = await memberOf(project, { sub: "u-2", email: "boss@example.com", email_verified: false });
    expect([email, unproven.email]).toEqual(["grace@example.com", null]);
    await world.clock.set("2037-05-03T00:00:00Z");
    await planAndSend();
    expect(sink.received.map(({ to }) => to)).toEqual([["grace@example.com"]]);
  });

  it("is not sent to a revoked or expired key, or to a former member", async () => {
    const project = await subscriber("stays@example.com");
    const wanting = async (email: string, fields: object = {}) => {
      const made = await project.newKey({ ...fields });
      await made.api.put(PATH, { monthly_usage_email: true, email });
      return made;
    };
    const revoked = await wanting("revoked@example.com");
    await wanting("expired@example.com", { expires_in_days: 2 });
    const late = await wanting("late@example.com");
    const { member_id } = await memberOf(project, { sub: "u-3", email: "left@example.com" });
    await project.api.delete(`/v1/api-keys/${revoked.id}`);
    await project.api.post("/v1/members", { subject: "u-4", role_id: "admin" });
    expect((await project.api.delete(`/v1/members/${member_id}`)).status).toBe(204);
    await world.clock.set("2037-05-03T00:00:00Z");
    await world.tick("plan-usage-emails");
    expect(await readEmails()).toHaveLength(2);
    await project.api.delete(`/v1/api-keys/${late.id}`);
    await planAndSend();
    expect(sink.received.map(({ to }) => to)).toEqual([["stays@example.com"]]);
    expect(await readEmails()).toMatchObject([{ status: "sent" }]);
  });

  it("is not sent to an owner who unsubscribed after it was planned", async () => {
    const project = await subscriber("ada@example.com");
    await world.clock.set("2037-05-03T00:00:00Z");
    await world.tick("plan-usage-emails");
    await project.api.put(PATH, { monthly_usage_email: false });
    await planAndSend();
    expect([sink.received, await readEmails()]).toEqual([[], []]);
  });
});

describe("a service without an SMTP server", () => {
  it("plans and sends nothing", async () => {
    await subscriber("ada@example.com");
    await world.clock.set("2037-05-03T00:00:00Z");
    const bare = { ...world.ctx, config: { ...world.ctx.config, mail: undefined } };
    expect(await sendUsageEmails(bare)).toBe(false);
    expect(await readEmails()).toEqual([]);
  });

  it("sends a request to the configured webhook, through the outgoing address guard", async () => {
    const receiver = await jobEndpoint();
    const mail = { from: "usage@millrace.example", webhook_url: receiver.url };
    const open = await makeWorld({ config: { mail, private_endpoints: "allow" } });
    await open.clock.set("2037-04-20T00:00:00Z");
    const project = await open.project({ name: "Hooked" });
    await project.api.put(PATH, { monthly_usage_email: true, email: "ada@example.com" });
    expect((await project.api.get(PATH)).body.is_mail_configured).toBe(true);
    await open.clock.set("2037-05-03T00:00:00Z");
    await open.tick("plan-usage-emails");
    const guarded = await open.anotherInstance({ private_endpoints: "refuse" });
    await sendUsageEmails(guarded.ctx);
    expect(receiver.dispatches).toHaveLength(0);
    await open.clock.pass("61s");
    await open.tick("send-usage-emails");
    expect(receiver.dispatches.map(({ body }) => [body.to, body.subject])).toEqual([
      ["ada@example.com", "Usage of Hooked in April 2037"],
    ]);
    // A message sent again after a crash has the same id, so that the receiver can drop it.
    const [sent] = receiver.dispatches;
    expect(sent?.headers["idempotency-key"]).toBe(sent?.body.message_id);
    expect(sent?.body.message_id).toMatch(/^<[0-9a-f-]{36}@millrace>$/);
  });
});
