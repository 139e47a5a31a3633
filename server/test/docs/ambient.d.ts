// What fragments of code in the documentation use without declaring it. A fragment that declares such a name itself has its own.

type RunContext = import("@millrace/sdk").RunContext;

declare const client: import("@millrace/sdk").Client;
declare const pool: import("pg").Pool;
declare const ctx: RunContext;
declare const id: string;
declare const key: string;
declare const secret: string;
declare const rawBody: string;
declare const headers: Headers;
declare const files: string[];
declare const notifyUrl: string;
declare const z: typeof import("zod").z;
declare const createTestServer: typeof import("@millrace/sdk/testing").createTestServer;
declare const createClient: typeof import("@millrace/sdk").createClient;
declare const defineEvent: typeof import("@millrace/sdk").defineEvent;
declare const defineJob: typeof import("@millrace/sdk").defineJob;
declare const defineWorkflow: typeof import("@millrace/sdk").defineWorkflow;
declare const isSuspend: typeof import("@millrace/sdk").isSuspend;
declare const NonRetryableError: typeof import("@millrace/sdk").NonRetryableError;
declare const RetryAfterError: typeof import("@millrace/sdk").RetryAfterError;
declare const sync: typeof import("@millrace/sdk").sync;
declare const report: import("@millrace/sdk").AnyJob;
declare const approved: import("@millrace/sdk").EventDefinition<[{ id: string }], { by: string }>;
declare const price: import("@millrace/sdk").Job<{ sku: string }, { amount: number }>;
declare const total: import("@millrace/sdk").Job<{ prices: ({ amount: number } | null)[]; by: string }, number>;

declare function sendMail(to: string, text: string): Promise<{ id: string }>;
declare function render(payload: unknown): string;
declare function smtp(to: string, html: string, options: { signal: AbortSignal }): Promise<{ id: string }>;
declare const bank: {
  withdraw: (account: string, amount: number) => Promise<string>;
  deposit: (account: string, amount: number) => Promise<string>;
  cancel: (hold: string) => Promise<void>;
};

declare module "@nestjs/common" {
  export function Controller(path: string): ClassDecorator;
  export function All(): MethodDecorator;
  export function Req(): ParameterDecorator;
  export function Res(): ParameterDecorator;
  export function Injectable(): ClassDecorator;
  export function Module(metadata: object): ClassDecorator;
}
declare module "@nestjs/core" {
  type Application = {
    use: (path: string, handler: unknown) => void;
    listen: (port: number) => Promise<void>;
    get: <T>(type: abstract new (...args: never[]) => T) => T;
  };
  export const NestFactory: { create: (module: unknown, options?: object) => Promise<Application> };
}
// biome-ignore lint/suspicious/noExplicitAny: any jobs
declare const jobs: import("@millrace/sdk").Job<any, any>[];
