import { type Environment, SECRET_VARIABLES } from "../../src/config/environment.ts";

/** What a program finds where nobody set anything. */
export const NO_ENVIRONMENT: Environment = {
  twitchAccessToken: null,
  twitchRefreshToken: null,
  twitchStreamerAccessToken: null,
  twitchStreamerRefreshToken: null,
  geminiApiKey: null,
  openaiApiKey: null,
  hasHelixStandIn: false,
};

/** What a test must not take from the machine that it runs on. */
export const OWN_VARIABLES: readonly string[] = [
  ...Object.values(SECRET_VARIABLES),
  "TWURPLE_MOCK_API_PORT",
];
