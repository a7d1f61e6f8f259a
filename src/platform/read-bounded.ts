/** The body of an answer as text, or null as soon as it is larger than `bytesMax`: then the rest is not read. */
export async function readBounded(response: Response, bytesMax: number): Promise<string | null> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
