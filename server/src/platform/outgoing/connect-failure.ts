/** Why no connection was established. The message is our own: foreign text must not reach logs or users. */
export class ConnectFailure extends Error {
  readonly reason: "refused_address" | "dns" | "connect" | "tls";

  constructor(reason: ConnectFailure["reason"], message: string) {
    super(message);
    this.name = "ConnectFailure";
    this.reason = reason;
  }
}

/**
 * Classifies a connector's error. Always wrapped: with the codes UND_ERR_SOCKET and UND_ERR_INFO undici would keep the
 * request and reconnect forever.
 */
export function toConnectFailure(error: Error, protocol: string): ConnectFailure {
  if (error instanceof ConnectFailure) return error;

  const { code = "unknown error", syscall } = error as NodeJS.ErrnoException;
  if (code === "UND_ERR_CONNECT_TIMEOUT")
    return new ConnectFailure("connect", "The endpoint did not accept a connection in time.");

  const beforeTls = syscall === "connect" || error instanceof AggregateError;
  return protocol === "https:" && !beforeTls
    ? new ConnectFailure("tls", `The TLS handshake with the endpoint failed (${code}).`)
    : new ConnectFailure("connect", `Could not connect to the endpoint (${code}).`);
}
