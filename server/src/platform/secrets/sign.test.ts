import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { newSigningSecret, signatureHeaders } from "./sign.ts";

// Bytes 0…31 and 32…63; the expected values below come from Python's hmac.
const NEWEST = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const OLDER = "whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";
const BODY = '{"type":"event_trigger.received","id":"ü"}';
const SIGNED_BY_NEWEST = "2eda0aaff9f9f2a8d625f7f85038a202598dff09a28b8db1e21ecb00bd7de3c4";
const SIGNED_BY_OLDER = "f73f1ea77d2ca8cced678ea0da3e704997d1384de70154f511c2a291fdb34dd2";
const DISPATCH = { secrets: [NEWEST], body: BODY, timestampSecs: 1_700_000_000 };

describe("a signing secret", () => {
  it("is whsec_ and the base64 of 32 random bytes", () => {
    const [one, other] = [newSigningSecret(), newSigningSecret()];
    expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(one).not.toBe(other);
  });
});

describe("the signature of an outgoing request", () => {
  it("is computed with the decoded secret over timestamp and body, and over the body", () => {
    expect(signatureHeaders(DISPATCH)).toEqual({
      "X-Svc-Timestamp": "1700000000",
      "X-Svc-Signature": `v1=${SIGNED_BY_NEWEST}`,
      "X-Webhook-Signature": "sha256=28104a5d16bb805040c61fd7a0a538566722ee0cdb6777d0bf1dbbf56fb44e8d",
    });
  });

  it("has two values during rotation; the plain one is that of the newest secret", () => {
    expect(signatureHeaders({ ...DISPATCH, secrets: [NEWEST, OLDER] })).toEqual({
      "X-Svc-Timestamp": "1700000000",
      "X-Svc-Signature": `v1=${SIGNED_BY_NEWEST},v1=${SIGNED_BY_OLDER}`,
      "X-Webhook-Signature": "sha256=28104a5d16bb805040c61fd7a0a538566722ee0cdb6777d0bf1dbbf56fb44e8d",
    });
  });

  it("carries Standard Webhooks headers on a delivery", () => {
    expect(signatureHeaders({ ...DISPATCH, secrets: [NEWEST, OLDER], deliveryId: "dlv_1" })).toMatchObject({
      "webhook-id": "dlv_1",
      "webhook-timestamp": "1700000000",
      "webhook-signature":
        "v1,3+wHd1fyOscm2W0tzB1TZiF/eRncbBkyFI8p1kvLMrI= v1,qLUGnnVwmyMx4XxPhJwngEqi4hcGbeL8JUJvXZbufB0=",
    });
  });

  it("is accepted by the Standard Webhooks library with either secret, and with no third", () => {
    const secrets = [newSigningSecret(), newSigningSecret()];
    const headers = signatureHeaders({ secrets, body: BODY, timestampSecs: nowSecs(), deliveryId: "dlv_2" });
    for (const secret of secrets) expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY));
    expect(() => new Webhook(newSigningSecret()).verify(BODY, headers)).toThrow();
    expect(() => new Webhook(secrets[0] ?? "").verify(`${BODY} `, headers)).toThrow();
  });

  it("is the same for text and for its bytes, including invalid UTF-8", () => {
    expect(signatureHeaders({ ...DISPATCH, body: Buffer.from(BODY) })).toEqual(signatureHeaders(DISPATCH));

    const bytes = Buffer.from([0, 255, 254, 13, 10]);
    const key = Buffer.from(NEWEST.slice("whsec_".length), "base64");
    const expected = createHmac("sha256", key).update(bytes).digest("hex");
    expect(signatureHeaders({ ...DISPATCH, body: bytes })["X-Webhook-Signature"]).toBe(`sha256=${expected}`);
  });

  it.each([[[]], [["secret"]], [["whsec_"]], [["whsec_AAEC"]], [[NEWEST, "whsec_AAEC"]], [[NEWEST.slice(6)]]])(
    "is not made with %j",
    (secrets) => expect(() => signatureHeaders({ ...DISPATCH, secrets })).toThrow(/secret/),
  );
});

function nowSecs(): number {
  return Math.floor(Date.now() / 1000);
}
