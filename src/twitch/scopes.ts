// Pure: values in, values out.
/** What a token needs to read and to write chat. Without the first two tmi.js cannot join and speak. */
export const READ_SCOPE = "chat:read";
export const WRITE_SCOPE = "chat:edit";
/** To write by Helix, which says whether a message arrived. */
export const SEND_SCOPE = "user:write:chat";
