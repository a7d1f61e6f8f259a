export const CHANNEL = "benchroom";
export const BOT = "benchbot";
