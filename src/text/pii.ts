import { type Views } from "./views.ts";

/** What a pattern alone gives away, whatever is said around it. */
export type PiiKind = "money" | "address" | "phone" | "email" | "password" | "id_number" | "age";
