/** A token as the stand-in knows it. */
export interface StandInToken {
  readonly userId: string;
  readonly login: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Life from the moment it is set; null: it never runs out. */
  readonly expiresInSeconds: number | null;
}

/** What a refresh, or an approved device, gives. */
export interface StandInGrant {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly token: StandInToken;
}

export interface StandInUser {
  readonly id: string;
  readonly login: string;
  readonly displayName: string;
}

export interface StandInStream {
  readonly isLive: boolean;
  readonly title: string;
  readonly category: string;
  readonly startedAtMs: number | null;
}

/** A message that reached the stand-in's chat, dropped ones included. */
export interface ReceivedMessage {
  readonly broadcasterId: string;
  readonly senderId: string;
  readonly text: string;
  readonly replyTo: string | null;
  readonly atMs: number;
}

export type ChatVerdict =
  | { readonly kind: "taken"; readonly messageId: string }
  | { readonly kind: "dropped"; readonly code: string };

interface LiveToken extends StandInToken {
  readonly expiresAtMs: number | null;
}

/** What stands behind the stand-in's answers. */
export interface HelixState {
  readonly users: Map<string, StandInUser>;
  readonly streams: Map<string, StandInStream>;
  readonly tokens: Map<string, LiveToken>;
  /** Devices waiting for approval (null), and approved ones. */
  readonly devices: Map<string, StandInGrant | null>;
  readonly refreshTokens: Map<string, StandInGrant>;
  /** Codes for the next chat messages, which are dropped with them. */
  readonly dropCodes: string[];
  setToken(accessToken: string, token: StandInToken): void;
  /** The token, unless it is unknown or ran out. */
  liveToken(accessToken: string): LiveToken | null;
  grant(grant: StandInGrant): void;
  /** What a refresh token gives, once; null when it is unknown, spent or another application's. */
  useRefreshToken(refreshToken: string, clientId: string): StandInGrant | null;
  receive(message: ReceivedMessage): ChatVerdict;
}

/** Empty state. `onMessage` decides about each chat message that is not dropped by a code. */
export function helixState(
  now: () => number,
  onMessage: (message: ReceivedMessage) => ChatVerdict,
): HelixState {
  const tokens = new Map<string, LiveToken>();
  const refreshTokens = new Map<string, StandInGrant>();
  const dropCodes: string[] = [];
  const setToken = (accessToken: string, token: StandInToken) => {
    const { expiresInSeconds } = token;
    const expiresAtMs = expiresInSeconds === null ? null : now() + expiresInSeconds * 1_000;
    tokens.set(accessToken, { ...token, expiresAtMs });
  };
  const grant = ({ accessToken, token }: StandInGrant) => setToken(accessToken, token);
  return {
    users: new Map(),
    streams: new Map(),
    tokens,
    devices: new Map(),
    refreshTokens,
    dropCodes,
    setToken,
    liveToken: (accessToken) => {
      const token = tokens.get(accessToken);
      if (token === undefined) return null;
      return token.expiresAtMs !== null && token.expiresAtMs <= now() ? null : token;
    },
    grant,
    useRefreshToken: (refreshToken, clientId) => {
      const found = refreshTokens.get(refreshToken);
      if (found === undefined || found.token.clientId !== clientId) return null;
      refreshTokens.delete(refreshToken);
      grant(found);
      return found;
    },
    receive: (message) => {
      const code = dropCodes.shift();
      return code === undefined ? onMessage(message) : { kind: "dropped", code };
    },
  };
}
