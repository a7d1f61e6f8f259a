import { expect, onTestFinished, test } from "vitest";
import { ollamaHasLoaded, openAiSays, openOpenAiServer } from "../stand-ins/openai-server.ts";
import { CLIENT_ID, NAMED, openSetup, withGemini } from "./setup-rig.ts";

test("with an application of the project's own nobody registers one", async () => {
  const rig = await openSetup({ config: await withGemini(), defaultClientId: CLIENT_ID });
  await rig.types("your Twitch channel", "lanternroom");
  await rig.picks("Who speaks in chat?", "An account of the bot");
  await rig.agrees("What may it do?");
  await rig.sees("Code: CODE1");
  expect(rig.screen()).not.toMatch(/Client ID\b.*paste|Paste the Client ID/);
  rig.approves("automark");
  await rig.sees(NAMED);
  expect(rig.opened).toEqual([]);
});

test("an application that the configuration names is preferred to the project's", async () => {
  const config = { ...(await withGemini()), twitch: { clientId: "z".repeat(30) } };
  const rig = await openSetup({ config, defaultClientId: CLIENT_ID });
  await rig.agrees("your Twitch channel");
  await rig.picks("Who speaks in chat?", "An account of the bot");
  await rig.sees(`Your Twitch application: ${"z".repeat(30)}`);
});

test("the streamer's own log-in opens in the browser, the bot's does not", async () => {
  const config = await withGemini();
  const rig = await openSetup({ config, defaultClientId: CLIENT_ID });
  await rig.types("your Twitch channel", "lanternroom");
  await rig.picks("Who speaks in chat?", "An account of the bot");
  await rig.agrees("What may it do?");
  await rig.sees("Waiting until");
  expect(rig.opened).toEqual([]);
  const own = await openSetup({ config, defaultClientId: CLIENT_ID });
  await own.types("your Twitch channel", "lanternroom");
  await own.picks("Who speaks in chat?", "My own account");
  await own.agrees("What may it do?");
  await own.sees("Waiting until");
  expect(own.opened).toEqual(["https://www.twitch.tv/activate?device-code=CODE1"]);
});

test("the models of an Ollama are listed, and a voice of one's own is heard at once", async () => {
  const model = await openOpenAiServer();
  onTestFinished(model.close);
  const rig = await openSetup({ defaultClientId: CLIENT_ID });
  await rig.types("your Twitch channel", "lanternroom");
  await rig.picks("Who speaks in chat?", "An account of the bot");
  await rig.agrees("What may it do?");
  await rig.sees("Code: CODE1");
  rig.approves("automark");
  await rig.types(NAMED, "Lumo");
  await rig.picks("Which language model", "A model on this machine");
  model.enqueue(ollamaHasLoaded("gemma3:12b", 8_192));
  await rig.types("Where is the server?", `${model.url}/v1`);
  await rig.picks("Ollama has these:", "gemma3:12b");
  await rig.picks("Does the server want a key?", "No");
  await rig.sees("gemma3:12b answers");
  expect(model.requests[0]).toMatchObject({ method: "GET", path: "/api/tags" });
  model.enqueue(openAiSays({ text: "The fog sends its greetings." }));
  await rig.picks("How does it talk?", "In my own words");
  await rig.types("Describe its voice", "A sleepy lighthouse keeper.");
  await rig.sees("Lumo: The fog sends its greetings.");
  await rig.picks("Is that how it should talk?", "No");
  await rig.picks("How does it talk?", "Deadpan");
  await rig.picks("Is that how it should talk?", "Yes");
  const sample = JSON.stringify(model.requests.map(({ body }) => body));
  expect(sample).toContain("A sleepy lighthouse keeper.");
  await rig.agrees("How does it begin?");
  await rig.picks("Write this?", "Yes");
  await rig.done;
  expect(rig.config()).toMatchObject({
    persona: { voice: expect.stringMatching(/^Deadpan and laconic/) },
    llm: { model: "gemma3:12b" },
  });
});
