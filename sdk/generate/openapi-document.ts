/** The subset of JSON Schema that the contract uses. */
export type JsonSchema = {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  additionalProperties?: boolean | JsonSchema;
  anyOf?: JsonSchema[];
  $ref?: string;
  description?: string;
};

type Content = { content?: Record<string, { schema?: JsonSchema }> };

export type Operation = {
  summary?: string;
  parameters?: {
    in: "path" | "query" | "header";
    name: string;
    required?: boolean;
    schema: JsonSchema;
    description?: string;
  }[];
  requestBody?: Content;
  responses: Record<string, Content>;
};

export type OpenApiDocument = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema> };
};
