import { randomBytes } from "node:crypto";

/** A file of settings with new secrets. */
export function envText(first: { api_key: string; signing_secret: string }): string {
  const secret = () => randomBytes(32).toString("base64url");
  return `# Settings of the Millrace service, written by \`millrace init --production\`. Keep this file secret, and keep a copy of
# ENCRYPTION_KEY elsewhere: without it, secrets in the database cannot be read.
INTERNAL_SECRET=${secret()}
JWT_SIGNING_KEY=${secret()}
ENCRYPTION_KEY=${secret()}

# The first start creates the project "main" with this API key, which may send 120,000 requests a minute. Give your programs both
# values as MILLRACE_API_KEY and MILLRACE_SIGNING_SECRET. Later changes here have no effect.
FIRST_API_KEY=${first.api_key}
FIRST_SIGNING_SECRET=${first.signing_secret}

# Default: the embedded PostgreSQL.
# DATABASE_URL=postgres://millrace:password@db.example.com:5432/millrace

# Behind a proxy: the public URL of the service, which links use.
# PUBLIC_URL=https://millrace.example.com

# Endpoints at private addresses are rejected unless their ranges are listed.
# ALLOW_PRIVATE_ENDPOINTS=10.0.0.0/8
`;
}
