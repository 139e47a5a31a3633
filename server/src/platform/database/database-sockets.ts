import { Socket } from "node:net";

export type DatabaseSockets = {
  /** The socket of a new connection. */
  open: () => Socket;
  /** The same, but closed at once while the database is silent, so that callers fail fast. */
  openUnlessSilent: () => Socket;
  /** Total bytes received from the database: it is alive while this grows. */
  receivedBytes: () => number;
  /** Called when the database falls silent: records how much each connection has received. */
  markSilence: () => void;
  /** Called when it is back: closes the connections that have received nothing since. */
  closeSilent: () => void;
  closeAll: () => void;
};

const NOT_NOTED = -1;
/**
 * Timeout for the first byte from the server, which a healthy one sends within milliseconds. A connection to an
 * unreachable one would occupy a slot of the pool.
 */
const MAX_SILENCE_MS = 2_000;

/**
 * The sockets of our connections. After an outage some may be dead without an error: a firewall dropped their state, or
 * the server was moved. A caller that got such a connection from the pool would wait until its timeout.
 */
export function openDatabaseSockets(): DatabaseSockets {
  const received = new Map<Socket, number>();
  let receivedOnClosed = 0;
  let isSilent = false;

  function open(): Socket {
    const socket = new Socket();
    socket.once("connect", () => writeTogether(socket)); // connecting resets `write`
    received.set(socket, NOT_NOTED);
    const timer = setTimeout(() => closeSilent(socket), MAX_SILENCE_MS).unref();
    socket.once("close", () => {
      clearTimeout(timer);
      received.delete(socket);
      receivedOnClosed += socket.bytesRead;
    });
    return socket;
  }

  function openUnlessSilent(): Socket {
    const socket = open();
    if (isSilent) process.nextTick(() => socket.destroy());
    return socket;
  }

  function receivedBytes(): number {
    let bytes = receivedOnClosed;
    for (const socket of received.keys()) bytes += socket.bytesRead;
    return bytes;
  }

  return {
    open,
    openUnlessSilent,
    receivedBytes,
    markSilence: () => {
      isSilent = true;
      for (const socket of received.keys()) received.set(socket, socket.bytesRead);
    },
    closeSilent: () => {
      isSilent = false;
      for (const [socket, bytes] of received) if (socket.bytesRead === bytes) socket.destroy();
    },
    closeAll: () => {
      for (const socket of received.keys()) socket.destroy();
    },
  };
}

/**
 * Destroys a connection that has received nothing. Bytes that arrived while this process was busy are read first, and
 * count.
 */
function closeSilent(socket: Socket): void {
  setImmediate(() => {
    if (socket.bytesRead === 0) socket.destroy();
  });
}

/**
 * Writes within one turn of the event loop are sent in one message: `begin` with the statements after it, pipelined
 * statements, and those of many callers on one connection. Each message costs about 90 µs here, mostly to wake the
 * other process.
 */
function writeTogether(socket: Socket): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let isHeld = false;
  function uncork(): void {
    isHeld = false;
    socket.uncork();
  }
  socket.write = ((...args: unknown[]) => {
    if (!isHeld) {
      isHeld = true;
      socket.cork();
      // nextTick callbacks queued by a microtask run after the last microtask.
      queueMicrotask(() => process.nextTick(uncork));
    }
    return write(...args);
  }) as typeof socket.write;
}
