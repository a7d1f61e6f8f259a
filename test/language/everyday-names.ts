/** Words that viewers take for names. */
export const EVERYDAY_NAMES: readonly string[] = [
  ...["love", "coffee", "game", "streamer", "morning", "music"],
  ...["liebe", "gato", "nuit", "кот", "猫", "home"],
];
