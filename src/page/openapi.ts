import { z } from "zod";
import { VERSION } from "../platform/config/version.ts";
import type { Route } from "./desk.ts";

const ERROR = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    mend: z.string().nullable(),
  }),
});

/** What can be asked of `/api`, as OpenAPI, made from the very schemas that check it. */
export function openApi(routes: readonly Route[]) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = `/api${route.path.replaceAll(/:(\w+)/g, "{$1}")}`;
    paths[path] = { ...paths[path], [route.method]: operationOf(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "ForgetMeNot",
      version: VERSION,
      description:
        "What the local page reads and does. Send `Authorization: Bearer …` with a token from `forgetmenot page token`.",
    },
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
    security: [{ token: [] }],
    paths,
  };
}

function operationOf({ method, path, summary, query, body, answer }: Route) {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  return {
    operationId: `${method}${path.replaceAll(/[^a-zA-Z]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary,
    parameters: [...inPath, ...inQuery(query)],
    ...(body === null ? {} : { requestBody: { required: true, content: json(body, "input") } }),
    responses: {
      200: { description: "Done.", content: json(answer, "output") },
      default: { description: "It was refused, or failed.", content: json(ERROR, "output") },
    },
  };
}

function inQuery(query: z.ZodObject) {
  return Object.entries(query.shape).map(([name, schema]) => {
    const { description, ...shape } = schemaOf(schema as z.ZodType, "input");
    return {
      name,
      in: "query",
      required: false,
      ...(typeof description === "string" ? { description } : {}),
      schema: shape,
    };
  });
}

function json(schema: z.ZodType, io: "input" | "output") {
  return { "application/json": { schema: schemaOf(schema, io) } };
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
