import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Route } from "../../src/platform/route.ts";
import type { ClientResponse } from "../world/client.ts";

type Content = Record<string, { schema: object }>;
type Response = { $ref?: string; content?: Content };
type Operation = { responses: Record<string, Response>; "x-error-codes": string[] };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: object; responses: Record<string, Response> };
};

/** Validates responses against the OpenAPI document alone, as an external client would. Returns the deviations. */
export function openDocumentCheck(document: Document): (route: Route, reply: ClientResponse) => string[] {
  // Each validator checks only a few responses: compile fast rather than run fast.
  const ajv = new Ajv2020({ strict: false, validateSchema: false, inlineRefs: false, code: { optimize: false } });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "document", components: document.components });
  const compiled = new Map<string, ValidateFunction>();

  function validatorOf(schema: object): ValidateFunction {
    const key = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/');
    const validate = compiled.get(key) ?? ajv.compile(JSON.parse(key));
    compiled.set(key, validate);
    return validate;
  }

  return ({ method, path }, reply) => {
    const operation = document.paths[path]?.[method.toLowerCase()];
    const declared = operation?.responses[reply.status];
    const at = `${method} ${path} ${reply.status}`;
    if (!operation || !declared) return [`${at} is not documented: ${reply.text.slice(0, 200)}`];
    const response = declared.$ref ? document.components.responses[declared.$ref.split("/").at(-1) ?? ""] : declared;
    const type = reply.headers.get("content-type")?.split(";", 1)[0] ?? "";
    const form = response?.content?.[type];
    if (reply.text === "") return response?.content ? [`${at} is empty`] : [];
    if (!form) return [`${at} is ${type}, which is not documented`];
    const isProblem = type === "application/problem+json";
    const code = String((reply.body as { code?: string } | null)?.code);
    if (isProblem && !operation["x-error-codes"].includes(code)) return [`${at} has the code ${code}`];
    const validate = validatorOf(form.schema);
    if (validate(reply.body ?? reply.text)) return [];
    return (validate.errors ?? []).map((error) => `${at}${error.instancePath} ${error.message}`);
  };
}
