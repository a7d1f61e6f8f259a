// Pure: values in, values out.
/** Scopes to read and to write chat by IRC. */
export const READ_SCOPE = "chat:read";
export const WRITE_SCOPE = "chat:edit";
/** To write by Helix, which says whether a message arrived. */
export const SEND_SCOPE = "user:write:chat";
