// Pure: values in, values out.
/** The source of a regular expression that matches a text as it is, with any run of white space for its own. */
export function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&").replace(/\s+/g, "\\s+");
}
