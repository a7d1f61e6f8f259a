// Pure: values in, values out.
/** Words of games: where one stands, a `likely` phrase is taken for talk about a game. */
export const GAME_WORDS = `
      in ?game; in the game; games?; gaming; npcs?; bosses; boss; quests?; questline; stardew~; sims?; minecraft
      skyrim; fallout; zelda; pokemon; elden ring; baldur'?s? gate; bg3; fire emblem; hades; terraria; factorio
      rimworld; crusader kings; ck3; civ~; stellaris; valorant; overwatch; fortnite; apex; dota; league; monopoly
      witcher; cyberpunk; gta; dark souls; hollow knight; animal crossing; among us; dnd; d ?& ?d; papers,? please
      frostpunk; disco elysium; mass effect; harvest moon; assassin'?s? creed; characters?; playthrough; speedruns?
      runs?; dlc; mods?; modded; skins?; raids?; dungeons?; loot; gold; mana; hp; xp; patch(?:ed)?; nerf~; buff~
      builds?; decks?; cards?; match(?:es)?; ranked; healer; healers; tank; respawn~; guild; clan; levels?; map
      puzzle; vault; chest; door; safe; romance (?:route|option); save ?file; villagers?; blacksmith
      farm(?:er|ing)?; sword; spell; potions?; dragons?; zombies?; server; meta; aim; polls?; strat~; combo; lobby
      opponents?; enem(?:y|ies); team ?mates?; plot; protagonist; movie; film; anime; series; episode; song; album
      lore; simulator; coop; co op; pvp; pve; kills?; armor; inventory; crafting; tavern; kingdom; faction; empire
      cutscene; ending; story ?line; cosplay; spawn~; wr; pb; emotes?; meme; dps; rng; chat joked`;
