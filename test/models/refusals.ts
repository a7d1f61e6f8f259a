/**
 * How providers refuse, as they do it on the wire, and the cause that the advice must name. Written before the table of
 * reasons.
 */
export interface Refused {
  readonly name: string;
  readonly provider: "gemini" | "openai-compatible";
  readonly status: number;
  readonly body: string;
  readonly cause: RegExp;
}

const google = (code: number, status: string, message: string, reason = ""): string =>
  JSON.stringify({ error: { code, status, message, details: reason === "" ? [] : [{ reason }] } });
const openai = (message: string, code: string | null = null, type = ""): string =>
  JSON.stringify({ error: { message, code, type } });
const gemini = (name: string, status: number, body: string, cause: RegExp): Refused => ({
  ...{ name, provider: "gemini", status, body, cause },
});
const server = (name: string, status: number, body: string, cause: RegExp): Refused => ({
  ...{ name, provider: "openai-compatible", status, body, cause },
});

export const REFUSALS: readonly Refused[] = [
  gemini(
    "region",
    400,
    google(400, "FAILED_PRECONDITION", "User location is not supported for the API use."),
    /region/,
  ),
  gemini(
    "wrong key",
    400,
    google(
      400,
      "INVALID_ARGUMENT",
      "API key not valid. Please pass a valid API key.",
      "API_KEY_INVALID",
    ),
    /wrong, expired or revoked/,
  ),
  gemini(
    "leaked key",
    403,
    google(
      403,
      "PERMISSION_DENIED",
      "Your API key was reported as leaked. Please use another API key.",
    ),
    /revoked/,
  ),
  gemini(
    "restricted key",
    403,
    google(
      403,
      "PERMISSION_DENIED",
      "Requests to this API are blocked.",
      "API_KEY_SERVICE_BLOCKED",
    ),
    /restrictions/,
  ),
  gemini(
    "API off",
    403,
    google(
      403,
      "PERMISSION_DENIED",
      "Generative Language API has not been used in project 7 before or it is disabled.",
      "SERVICE_DISABLED",
    ),
    /API is off/,
  ),
  gemini(
    "suspended",
    403,
    google(403, "PERMISSION_DENIED", "Consumer has been suspended.", "CONSUMER_SUSPENDED"),
    /suspended/,
  ),
  gemini(
    "billing off",
    403,
    google(
      403,
      "PERMISSION_DENIED",
      "This API method requires billing to be enabled.",
      "BILLING_DISABLED",
    ),
    /billing is off/,
  ),
  gemini(
    "quota zero",
    429,
    google(
      429,
      "RESOURCE_EXHAUSTED",
      "You exceeded your current quota. Quota exceeded for metric: free_tier_requests, limit: 0, model: gemini-3-pro",
    ),
    /quota is zero/,
  ),
  gemini(
    "prepaid",
    429,
    google(
      429,
      "RESOURCE_EXHAUSTED",
      "Your prepayment credits are depleted. Please go to AI Studio to manage billing.",
    ),
    /prepaid credits/,
  ),
  gemini(
    "model gone",
    404,
    google(404, "NOT_FOUND", "models/gemini-1.0-pro is not found for API version v1beta"),
    /not offered any more/,
  ),
  gemini(
    "model retired",
    404,
    google(
      404,
      "NOT_FOUND",
      "This model models/gemini-2.0-flash is no longer available to new users.",
    ),
    /not offered any more/,
  ),
  gemini(
    "overloaded",
    503,
    google(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
    /overloaded/,
  ),
  server(
    "no credits",
    429,
    openai(
      "You exceeded your current quota, please check your plan.",
      "insufficient_quota",
      "insufficient_quota",
    ),
    /no credits/,
  ),
  server(
    "payment",
    402,
    openai("Insufficient credits. Add more using the credits page."),
    /no credits/,
  ),
  server(
    "revoked key",
    401,
    openai("Incorrect API key provided: sk-***.", "invalid_api_key", "invalid_request_error"),
    /revoked/,
  ),
  server(
    "region",
    403,
    openai(
      "Country, region, or territory not supported",
      "unsupported_country_region_territory",
      "request_forbidden",
    ),
    /region/,
  ),
  server(
    "model gone",
    404,
    openai("The model `gpt-0` does not exist or you do not have access to it.", "model_not_found"),
    /not offered any more/,
  ),
  server(
    "not pulled",
    404,
    openai('model "llama9" not found, try pulling it first', null, "api_error"),
    /not loaded/,
  ),
  server(
    "nothing loaded",
    400,
    '{"error":"No models loaded. Please load a model in the developer page."}',
    /not loaded/,
  ),
  server("still loading", 503, openai("Loading model", null, "unavailable_error"), /being loaded/),
  server(
    "out of memory",
    500,
    openai(
      "model requires more system memory (9.1 GiB) than is available (6 GiB)",
      null,
      "api_error",
    ),
    /memory/,
  ),
  server("wrong address", 404, "404 page not found", /baseUrl/),
  server("a web page", 405, "<!DOCTYPE html><html><body>Not allowed</body></html>", /baseUrl/),
  server(
    "no chat model",
    404,
    openai("This is not a chat model and thus not supported in the v1/chat/completions endpoint."),
    /not a model for chat/,
  ),
  server(
    "unknown reason",
    400,
    openai("The moon is in the wrong phase for this deployment."),
    /“The moon is in the wrong phase/,
  ),
];
