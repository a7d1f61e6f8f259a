import { createServer, type RequestListener, type Server } from "node:http";
import { Fault, messageOf } from "../errors.ts";
import type { PageSource } from "./app.tsx";

export interface Dashboard {
  /** `http://127.0.0.1:PORT/`. */
  readonly url: string;
  close(): Promise<void>;
}

export interface DashboardOptions extends PageSource {
  /** 0 takes any free port. */
  readonly port: number;
}

const HOST = "127.0.0.1";

/** Serves the local page; what makes it is loaded with the first request. Throws a Fault where the port is taken. */
export async function openDashboard(options: DashboardOptions): Promise<Dashboard> {
  let loading: Promise<RequestListener> | null = null;
  const server = createServer((request, response) => {
    loading ??= import("./app.tsx").then(({ pageListener }) => pageListener(options));
    loading.then(
      (listener) => listener(request, response),
      () => response.destroy(),
    );
  });
  await listening(server, options.port);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  return {
    url: `http://${HOST}:${port}/`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      reject(
        new Fault(`dashboard.port: ${port} cannot be used (${messageOf(cause)})`, {
          code: "port",
          mend: "stop what uses it, or set dashboard.port to another one, to 0 for any, or to false for none",
          cause,
        }),
      );
    });
    server.listen(port, HOST, resolve);
  });
}
